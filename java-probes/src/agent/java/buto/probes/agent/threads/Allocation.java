package buto.probes.agent.threads;

import buto.probes.agent.platform.Platform;
import java.lang.management.ThreadMXBean;

/**
 * The bytes that threads have allocated in the Java heap since the JVM's start. Created and used in the sampler
 * thread, whose own bytes are known apart.
 *
 * <p>From Java 21 on, and in updates of 17, the JVM has the sum of all threads, dead ones included. Without it, the
 * threads are added one by one.
 */
public final class Allocation {
    /** What a JVM that does not count gives. */
    private static final long UNKNOWN = -1;

    /** Why it does not. */
    public static final String NOT_COUNTED = "this JVM has no com.sun.management";

    private final Platform platform;
    private final ThreadMXBean threads;
    private final long sampler = Thread.currentThread().getId();
    private final boolean isCounted;
    private boolean hasTotal = true;

    /** The JVM reads its sum a moment after the sampler's own bytes, and counts both with a small delay. */
    private long highest;

    /** Bytes that the sampler thread has allocated in the program's place. */
    private long lent;

    /** For a JVM without a sum. */
    private final SumOverThreads single;

    public Allocation(Platform platform) {
        this.platform = platform;
        threads = platform.threads();
        single = new SumOverThreads(platform);
        isCounted = counts(threads);
    }

    private static boolean counts(Object threads) {
        try {
            return threads instanceof com.sun.management.ThreadMXBean;
        } catch (LinkageError noSuchModule) {
            return false;
        }
    }

    /** Whether this JVM has the counters at all. */
    public boolean isCounted() {
        return isCounted;
    }

    /** Counts bytes that the sampler thread has allocated as the program's. */
    public void lend(long bytes) {
        lent += bytes;
    }

    /** Bytes that the sampler thread has allocated for itself, or -1. */
    public long bySampler() {
        return isCounted ? ((com.sun.management.ThreadMXBean) threads).getThreadAllocatedBytes(sampler) - lent : UNKNOWN;
    }

    /** Bytes that all other threads have allocated, and what counts as theirs, or -1. Never falls. */
    public long byProgram() {
        long own = bySampler();
        if (own < 0) {
            return UNKNOWN;
        }
        if (hasTotal) {
            try {
                highest = Math.max(highest, platform.allocatedBytes() - own);
                return highest;
            } catch (LinkageError noSum) {
                hasTotal = false;
            }
        }
        return lent + single.add(((com.sun.management.ThreadMXBean) threads).getThreadAllocatedBytes(single.ids()));
    }
}
