package buto.store.service;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.function.Supplier;

/**
 * Makes a component of a later version slower, by processor time that it burns.
 *
 * <p>The property {@code store.slow}, as {@code Recommender.rank:0.5}, names the component and by how much of its own
 * processor time it takes longer.
 */
public final class Slowdown {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int SPINS = 200;

    private final double share;

    private Slowdown(double share) {
        this.share = share;
    }

    /** Returns the slowdown of a component; most have none. */
    public static Slowdown of(String component) {
        String[] chosen = System.getProperty("store.slow", "").split(":", 2);
        return new Slowdown(chosen[0].equals(component) ? Double.parseDouble(chosen[1]) : 0.0);
    }

    /** Does the work, and then burns the share of the processor time that it took. */
    public <T> T around(Supplier<T> work) {
        if (share == 0.0) {
            return work.get();
        }
        long start = THREADS.getCurrentThreadCpuTime();
        T result = work.get();
        long end = start + (long) ((1 + share) * (THREADS.getCurrentThreadCpuTime() - start));
        while (THREADS.getCurrentThreadCpuTime() < end) {
            for (int spin = 0; spin < SPINS; spin++) {
                Thread.onSpinWait();
            }
        }
        return result;
    }
}
