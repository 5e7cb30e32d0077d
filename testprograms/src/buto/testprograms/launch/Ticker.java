package buto.testprograms.launch;

import java.util.concurrent.locks.LockSupport;

/**
 * Ticks at a fixed rate from its creation on. A program that falls behind catches up, so that its work by a given
 * time depends on the rate and hardly on the load of the machine.
 */
public final class Ticker {
    private final long period;
    private long next;

    /**
     * Ticks every {@code period} nanoseconds. The first tick comes after half a period, so that no tick coincides
     * with the end of a program that lasts a whole number of periods.
     */
    public Ticker(long period) {
        this.period = period;
        this.next = System.nanoTime() + period / 2;
    }

    /** Waits for the next tick; returns at once if it is already due. */
    public void await() {
        for (long left = next - System.nanoTime(); left > 0; left = next - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
        next += period;
    }
}
