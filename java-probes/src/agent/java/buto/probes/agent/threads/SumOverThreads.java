package buto.probes.agent.threads;

import buto.probes.agent.platform.Platform;
import java.util.Arrays;

/**
 * Adds up a counter that the JVM has for each thread: those of the live threads, and the last known one of each dead
 * thread. What a thread counts between a reading and its end is missing. Used in the sampler thread, which does not
 * count.
 */
final class SumOverThreads {
    private final Platform platform;
    private final long sampler = Thread.currentThread().getId();

    /** The live threads, sorted, and their counters. */
    private long[] ids = {};

    private long[] counters = {};
    private long ofDead;
    private long started = -1;
    private int live = -1;

    SumOverThreads(Platform platform) {
        this.platform = platform;
    }

    /** The threads that live now. Their counters belong into {@link #add}, in this order. */
    long[] ids() {
        long startedNow = platform.startedThreads();
        int liveNow = platform.liveThreads();
        if (startedNow != started || liveNow != live) {
            replaceThreads(platform.threads().getAllThreadIds());
            started = startedNow;
            live = liveNow;
        }
        return ids;
    }

    /** Returns the sum over all threads; a counter is -1 if its thread has died since. Never falls. */
    long add(long[] now) {
        long sum = ofDead;
        for (int i = 0; i < ids.length; i++) {
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
