package buto.store.tracing;

import java.time.Instant;

/** Nanoseconds since 1970 that never step back. */
final class Clock {
    private static final long OFFSET;

    static {
        Instant now = Instant.now();
        OFFSET = now.getEpochSecond() * 1_000_000_000L + now.getNano() - System.nanoTime();
    }

    private Clock() {}

    static long nanos() {
        return OFFSET + System.nanoTime();
    }
}
