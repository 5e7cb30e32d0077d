package buto.probes.jmx;

import buto.probes.jmx.polling.Clock;
import buto.probes.jmx.polling.Outbox;
import buto.probes.jmx.polling.Poller;
import buto.probes.jmx.polling.Watch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import javax.management.remote.JMXConnectionNotification;

/** The recording of one JVM through a connection: polled here, drained by the collector. */
public final class Session {
    private final Connection connection;
    private final Outbox outbox = new Outbox();
    private final List<Watch> watches = new ArrayList<>();
    private volatile Clock clock;
    private volatile Poller poller;

    public Session(Connection connection) {
        this.connection = connection;
    }

    /** Record custom MBeans too; before {@link #start}. */
    public void watch(String pattern, String[] attributes, String[] metadata, boolean notifications)
            throws Exception {
        watches.add(new Watch(pattern, attributes, metadata, notifications));
    }

    /** Read the metadata, subscribe, and begin to poll. */
    public void start(long intervalNs, boolean sameMachine, long withinMs) throws Exception {
        Bounded.call("reading what the JVM has", withinMs, () -> {
            begin(intervalNs, sameMachine);
            return true;
        }, unused -> poller.finish());
    }

    /** The thesis reads the metadata first; here it is read in parallel, so that samples begin at once. */
    private void begin(long intervalNs, boolean sameMachine) throws IOException, JMException {
        clock = Clock.read(connection.server, sameMachine);
        connection.connector.addConnectionNotificationListener((notification, unused) -> {
            if (notification.getType().equals(JMXConnectionNotification.NOTIFS_LOST)) {
                outbox.lostNotifications((Long) notification.getUserData());
            }
        }, null, null);
        poller = new Poller(connection.server, watches, clock, outbox, intervalNs);
        poller.start();
        poller.sendMetadata();
    }

    public long startedAtMs() {
        return clock.startedAtMs;
    }

    public long uptimeMs() {
        return clock.uptimeMs;
    }

    /** This JVM's nanoTime at which the uptime was read. */
    public long uptimeReadAt() {
        return clock.nanoTime;
    }

    /** The frames since the last call, in the agent's channel's format. */
    public byte[] drain() {
        return outbox.drain();
    }

    /** Why no more samples come, null while they do. */
    public String lost() {
        return poller.lost();
    }

    /** Whether the target stopped answering, and did not end. */
    public boolean silent() {
        return poller.silent();
    }

    /** Take a last sample and stop polling. @return whether that was done in time */
    public boolean finish(long withinMs) throws InterruptedException {
        poller.finish();
        TimeUnit.MILLISECONDS.timedJoin(poller, withinMs);
        return !poller.isAlive();
    }
}
