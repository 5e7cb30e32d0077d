package buto.testprograms.consumerproducer;

import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/** A worker's pause after each job, as for a database or a browser: random, up to twice its mean. */
final class Pause {
    private final Random random;
    private final long mean;

    /** @param mean nanoseconds; 0 for no pause at all */
    Pause(long seed, long mean) {
        this.random = new Random(seed);
        this.mean = mean;
    }

    void await() {
        if (mean == 0) {
            return;
        }
        long end = System.nanoTime() + (long) (2 * mean * random.nextDouble());
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
