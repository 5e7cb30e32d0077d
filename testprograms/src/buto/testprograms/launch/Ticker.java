package buto.testprograms.launch;

import java.util.concurrent.locks.LockSupport;

/**
 * A beat at a fixed rate from its creation on. A program that falls behind makes up for it, so that what it
 * has done by a given time depends on the rate and hardly on the load of the machine.
 */
public final class Ticker {
    private final long period;
    private long next;

    /**
     * Beats each {@code period} nanoseconds. The first beat comes after half a period, so that none falls
     * together with the end of a program that lasts a whole number of periods.
     */
    public Ticker(long period) {
        this.period = period;
        this.next = System.nanoTime() + period / 2;
    }

    /** Waits for the next beat; returns at once when it is due already. */
    public void await() {
        for (long left = next - System.nanoTime(); left > 0; left = next - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
        next += period;
    }
}
