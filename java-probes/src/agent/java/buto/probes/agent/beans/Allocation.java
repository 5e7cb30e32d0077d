package buto.probes.agent.beans;

import buto.probes.agent.platform.Platform;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;

/**
 * The bytes that threads have allocated in the Java heap since the JVM's start. Created and used in the sampler
 * thread, whose own bytes are known apart.
 *
 * <p>From Java 21 on, and in updates of 17, the JVM has the sum of all threads, dead ones included. Without it, the
 * counters of the live threads are added, and the last known counter of each dead one: what a thread allocated
 * between a sample and its end is missing.
 */
final class Allocation {
    /** What a JVM that does not count gives. */
    static final long UNKNOWN = -1;

    /** Why it does not. */
    static final String NOT_COUNTED = "this JVM has no com.sun.management";

    private final Platform platform;
    private final ThreadMXBean threads;
    private final long sampler = Thread.currentThread().getId();
    private final boolean isCounted;
    private boolean hasTotal = true;

    /** The JVM reads its sum a moment after the sampler's own bytes, and counts both with a small delay. */
    private long highest;

    /** The live threads but the sampler, sorted, and their counters. */
    private long[] ids = {};

    private long[] counters = {};
    private long ofDead;
    private long started = -1;
    private int live = -1;

    Allocation(Platform platform) {
        this.platform = platform;
        threads = platform.threads();
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
    boolean isCounted() {
        return isCounted;
    }

    /** Bytes that the sampler thread has allocated, or UNKNOWN. */
    long bySampler() {
        return isCounted ? ((com.sun.management.ThreadMXBean) threads).getThreadAllocatedBytes(sampler) : UNKNOWN;
    }

    /** Bytes that all other threads have allocated, or UNKNOWN. Never falls. */
    long byProgram() {
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
        return sum();
    }

    private long sum() {
        long startedNow = platform.startedThreads();
        int liveNow = platform.liveThreads();
        if (startedNow != started || liveNow != live) {
            started = startedNow;
            live = liveNow;
            replaceThreads(threads.getAllThreadIds());
        }
        long[] now = ((com.sun.management.ThreadMXBean) threads).getThreadAllocatedBytes(ids);
        long sum = ofDead;
        for (int i = 0; i < ids.length; i++) {
            // -1 if it has died since.
            counters[i] = ids[i] == sampler ? 0 : Math.max(counters[i], now[i]);
            sum += counters[i];
        }
        return sum;
    }

    /** Takes the counters of those that still live, and adds those of the others to the dead. */
    private void replaceThreads(long[] idsNow) {
        Arrays.sort(idsNow);
        long[] countersNow = new long[idsNow.length];
        int place = 0;
        for (int i = 0; i < ids.length; i++) {
            while (place < idsNow.length && idsNow[place] < ids[i]) {
                place++;
            }
            if (place < idsNow.length && idsNow[place] == ids[i]) {
                countersNow[place] = counters[i];
            } else {
                ofDead += counters[i];
            }
        }
        ids = idsNow;
        counters = countersNow;
    }
}
