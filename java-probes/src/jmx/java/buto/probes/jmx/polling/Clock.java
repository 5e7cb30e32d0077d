package buto.probes.jmx.polling;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;

/** Converts the target's clocks to this JVM's nanoTime. */
public final class Clock {
    private static final String[] ATTRIBUTES = {"StartTime", "Uptime"};
    private static final long LONGEST_DELAY_NS = TimeUnit.SECONDS.toNanos(30);

    public final long startedAtMs;
    public final long uptimeMs;
    /** The nanoTime at which {@link #uptimeMs} was read. */
    public final long nanoTime;
    private final long wallMs;
    /** The nanoTime at which {@link #wallMs} was read. */
    private final long wallNanos;

    private Clock(long startedAtMs, long uptimeMs, long nanoTime, long wallMs, long wallNanos) {
        this.startedAtMs = startedAtMs;
        this.uptimeMs = uptimeMs;
        this.nanoTime = nanoTime;
        this.wallMs = wallMs;
        this.wallNanos = wallNanos;
    }

    /** @param sameMachine whether both JVMs share a wall clock; otherwise start and uptime are used */
    public static Clock read(MBeanServerConnection server, boolean sameMachine) throws IOException, JMException {
        long before = System.nanoTime();
        AttributeList answers = server.getAttributes(new ObjectName("java.lang:type=Runtime"), ATTRIBUTES);
        long nanoTime = before + (System.nanoTime() - before) / 2;
        long startedAtMs = (Long) ((Attribute) answers.get(0)).getValue();
        long uptimeMs = (Long) ((Attribute) answers.get(1)).getValue();
        if (!sameMachine) {
            return new Clock(startedAtMs, uptimeMs, nanoTime, startedAtMs + uptimeMs, nanoTime);
        }
        // Read together: the answers may have taken long.
        return new Clock(startedAtMs, uptimeMs, nanoTime, System.currentTimeMillis(), System.nanoTime());
    }

    /**
     * Returns the nanoTime for a wall-clock time stamp of the target, for something that was received now.
     * A stamp that is older than 30 s or in the future is not a time of day: then returns now.
     */
    long nanoTimeOf(long stampMs, long now) {
        long told = wallNanos + TimeUnit.MILLISECONDS.toNanos(stampMs - wallMs);
        return told > now || told < now - LONGEST_DELAY_NS ? now : told;
    }
}
