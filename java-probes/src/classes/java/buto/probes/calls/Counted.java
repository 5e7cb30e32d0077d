package buto.probes.calls;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One method: how often it was called, and the bytes that its thread allocated in some of these calls, with all that they
 * called. Calls of itself belong to the outermost one. Nothing here allocates while bytes are measured.
 */
final class Counted {
    /** Calls of which the bytes are measured: asking for them takes as long as many a method. */
    private static final long MOST = 100_000;

    private final String name;
    private final int number;
    private final ThreadLocal<Inside> threads;
    private final Sum calls = new Sum();
    /** Outermost calls whose bytes are or were measured. */
    private final AtomicLong begun = new AtomicLong();
    private volatile long limit;
    /** Those of them that have not ended. */
    private final AtomicInteger open = new AtomicInteger();
    private long measured;
    private long bytes;

    /** @param number place of this method in what is known of each thread */
    Counted(String name, int number, ThreadLocal<Inside> threads) {
        this.name = name;
        this.number = number;
        this.threads = threads;
    }

    void measureMore() {
        limit = begun.get() + MOST;
    }

    void entered() {
        calls.increment();
        if (begun.get() < limit || open.get() > 0) {
            Inside thread = threads.get();
            if (thread.depth[number] > 0) {
                thread.depth[number]++;
                thread.calls[number]++;
            } else if (begun.get() < limit) {
                begun.getAndIncrement();
                open.getAndIncrement();
                thread.depth[number] = 1;
                thread.calls[number] = 1;
                thread.before[number] = thread.allocated();
            }
        }
    }

    /** Returns whether the bytes of a call are known by that. */
    boolean left() {
        if (open.get() == 0) {
            return false;
        }
        Inside thread = threads.get();
        // A call that was not measured has left nothing there.
        if (thread.depth[number] == 0 || --thread.depth[number] > 0) {
            return false;
        }
        long now = thread.allocated();
        open.getAndDecrement();
        return thread.before[number] >= 0 && now >= 0 && add(thread.calls[number], now - thread.before[number]);
    }

    /** Both at once, so that a line has them of the same calls. */
    private synchronized boolean add(long some, long theirs) {
        measured += some;
        bytes += theirs;
        return true;
    }

    synchronized String line() {
        return name + "\t" + calls.value() + "\t" + measured + "\t" + bytes;
    }
}
