package buto.probes.agent.custom;

import buto.probes.agent.channel.Metadata;
import java.lang.instrument.Instrumentation;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;

/**
 * When the program's MBeans are read from: as soon as the program creates the platform's MBean server, and with it the
 * JDK's logging, as it has configured both. If the JVM's own beans are wanted, the server is created for them a moment
 * after {@code main} began, at the latest at the exit.
 */
public final class Start {
    private static final long WAIT_NANOS = 1000000000L;

    /** Looks become rarer with the program's age: should the watch fail, beans are read at most this part of it late. */
    private static final long PART_OF_AGE = 100;

    private static final long SHORTEST_PAUSE = 1000000L;

    private static final String DOMAIN_OF_SERVERS = "JMImplementation";

    /** Of the platform's server only, which gets their beans first. */
    private static final String[] DOMAINS_OF_JVM = {
        "java.lang", "java.nio", "java.util.logging", "com.sun.management", "jdk.management.jfr"
    };

    private final BeanRule[] rules;
    private final boolean isForJvm;
    private final ServerWatch watch;

    /** Since when (nanoTime) there are only other servers; 0 if there are none. */
    private long othersTime;

    private boolean isOver;

    /** Begins to wait, in the sampler thread. */
    public Start(BeanRule[] rules, Instrumentation instrumentation) {
        this.rules = rules;
        boolean matches = false;
        for (BeanRule rule : rules) {
            int colon = rule.pattern.indexOf(':');
            String domain = colon > 0 ? rule.pattern.substring(0, colon) : "";
            matches |= matches(domain, 0, DOMAIN_OF_SERVERS, 0);
            for (String ofJvm : DOMAINS_OF_JVM) {
                matches |= matches(domain, 0, ofJvm, 0);
            }
        }
        isForJvm = matches;
        watch = new ServerWatch(instrumentation);
    }

    /** As in object names: a star stands for any characters, a question mark for one. */
    private static boolean matches(String pattern, int at, String text, int from) {
        if (at == pattern.length()) {
            return from == text.length();
        }
        char wanted = pattern.charAt(at);
        if (wanted == '*') {
            return matches(pattern, at + 1, text, from)
                    || from < text.length() && matches(pattern, at, text, from + 1);
        }
        return from < text.length()
                && (wanted == '?' || wanted == text.charAt(from))
                && matches(pattern, at + 1, text, from + 1);
    }

    /**
     * Opens the beans if they are to be read from now on; returns null if not, and if there is no server.
     *
     * @param age nanoseconds since {@code main} began; negative before
     * @param isLast whether the program has ended
     */
    public CustomBeans open(long age, boolean isLast, Metadata metadata) {
        long look = watch.begin();
        try {
            MBeanServer server = find(age, isLast);
            if (server == null) {
                return null;
            }
            isOver = true;
            metadata.put("process.mbeans.since", Long.valueOf(Math.max(0, age) / 1000000L));
            return CustomBeans.open(server, rules, metadata);
        } catch (RuntimeException refused) {
            isOver = true;
            return CustomBeans.refuse(refused, metadata);
        } catch (LinkageError refused) {
            isOver = true;
            return CustomBeans.refuse(refused, metadata);
        } finally {
            watch.end(look);
            if (isOver) {
                watch.close();
            }
        }
    }

    /** Returns the platform's server; null if it is not there and not due. */
    private MBeanServer find(long age, boolean isLast) {
        ArrayList<MBeanServer> servers = MBeanServerFactory.findMBeanServer(null);
        for (MBeanServer server : servers) {
            // Not asked of ManagementFactory, which would wait until the program has filled it.
            if (isOfPlatform(server)) {
                return server;
            }
        }
        boolean isDue = isForJvm && age >= WAIT_NANOS;
        if (!servers.isEmpty()) {
            long now = System.nanoTime();
            othersTime = othersTime == 0 ? now : othersTime;
            isDue |= now - othersTime >= WAIT_NANOS;
        }
        isDue |= isLast && (isForJvm || !servers.isEmpty());
        return isDue ? ManagementFactory.getPlatformMBeanServer() : null;
    }

    private static boolean isOfPlatform(MBeanServer server) {
        for (String domain : server.getDomains()) {
            for (String ofJvm : DOMAINS_OF_JVM) {
                if (ofJvm.equals(domain)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether the beans were opened, or refused. */
    public boolean isOver() {
        return isOver;
    }

    /** Returns how long to wait until the next look, nanoseconds. */
    public static long pause(long age) {
        return Math.max(SHORTEST_PAUSE, age / PART_OF_AGE);
    }

    /** Waits no more. */
    public void close() {
        watch.close();
    }
}
