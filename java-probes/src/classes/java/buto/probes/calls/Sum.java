package buto.probes.calls;

import java.util.concurrent.atomic.AtomicLongArray;

/** A number that many threads raise. It has its memory from the beginning, unlike the JDK's. */
final class Sum {
    private static final int PARTS = 16;
    /** Numbers of a line of the processor's cache, which two threads should not share. */
    private static final int APART = 8;

    private final AtomicLongArray parts = new AtomicLongArray(PARTS * APART);

    void increment() {
        parts.getAndIncrement(((int) Thread.currentThread().getId() & PARTS - 1) * APART);
    }

    long value() {
        long sum = 0;
        for (int part = 0; part < PARTS; part++) {
            sum += parts.get(part * APART);
        }
        return sum;
    }
}
