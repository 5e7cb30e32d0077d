package buto.probes.agent.threads;

import buto.probes.agent.platform.Platform;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;

/**
 * How often threads had to wait for a monitor that another thread held. Every JVM counts this for each platform
 * thread, also without monitoring of contention. Used in the sampler thread.
 */
public final class Contention {
    /** Shortest time between two readings. */
    private static final long SHORTEST_NANOS = 50000000L;

    /** A thread costs about 1 us, so reading takes at most some thousandth of a core. */
    private static final long NANOS_PER_THREAD = 1000000L;

    private final ThreadMXBean threads;
    private final SumOverThreads sum;
    private long due = System.nanoTime();
    private long blocked;

    public Contention(Platform platform) {
        threads = platform.threads();
        sum = new SumOverThreads(platform);
    }

    /** Makes the next value a new one, however short ago the last was read. */
    public void refresh() {
        due = System.nanoTime();
    }

    /** The newest count; a program with many threads is not read in every sample. Never falls. */
    public long blocked() {
        long now = System.nanoTime();
        if (now - due >= 0) {
            long[] ids = sum.ids();
            blocked = sum.add(counts(threads.getThreadInfo(ids)));
            due = now + Math.max(SHORTEST_NANOS, NANOS_PER_THREAD * ids.length);
        }
        return blocked;
    }

    private static long[] counts(ThreadInfo[] infos) {
        long[] counts = new long[infos.length];
        for (int i = 0; i < infos.length; i++) {
            counts[i] = infos[i] == null || isOfTheJvm(infos[i].getThreadName()) ? -1 : infos[i].getBlockedCount();
        }
        return counts;
    }

    /** The threads that handle references: on Java 17 a collection wakes them now once and now thirty times. */
    private static boolean isOfTheJvm(String thread) {
        return thread.equals("Common-Cleaner") || thread.equals("Finalizer") || thread.equals("Reference Handler");
    }
}
