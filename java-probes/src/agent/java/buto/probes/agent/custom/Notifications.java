package buto.probes.agent.custom;

import buto.probes.agent.channel.Frame;
import buto.probes.agent.channel.Outbox;
import java.util.concurrent.locks.LockSupport;
import javax.management.Notification;

/**
 * A ring buffer of fixed size for notifications: the program's threads emit them, the sampler sends them. What
 * does not fit is counted; an emitting thread never waits for a frame.
 */
final class Notifications {
    private static final int SIZE = 2048;
    private static final int MOST_IN_FRAME = 64;

    private final Thread sampler;
    private final long[] times = new long[SIZE];
    private final String[] types = new String[SIZE];
    private final String[] sources = new String[SIZE];
    private final long[] sequences = new long[SIZE];
    private final String[] messages = new String[SIZE];
    private final long[] stamps = new long[SIZE];
    private int first;
    private int count;
    private long dropped;
    private boolean closed;

    /**
     * Creates an empty ring.
     *
     * @param sampler woken when the ring is half full
     */
    Notifications(Thread sampler) {
        this.sampler = sampler;
    }

    /** Adds a notification in the program's thread; calls the program's code before it takes the lock. */
    void add(long time, String source, Notification emitted) {
        String type = emitted.getType();
        String message = emitted.getMessage();
        long sequence = emitted.getSequenceNumber();
        long stamp = emitted.getTimeStamp();
        boolean halfFull = false;
        synchronized (this) {
            if (closed) {
                return;
            }
            if (count == SIZE) {
                dropped++;
            } else {
                int at = (first + count) % SIZE;
                times[at] = time;
                types[at] = type;
                sources[at] = source;
                sequences[at] = sequence;
                messages[at] = message;
                stamps[at] = stamp;
                count++;
                halfFull = count == SIZE / 2;
            }
        }
        if (halfFull) {
            LockSupport.unpark(sampler);
        }
    }

    /** Returns the number of notifications lost so far. */
    synchronized long dropped() {
        return dropped;
    }

    /** Drops everything and accepts no more. */
    synchronized void close() {
        closed = true;
        forget(count);
    }

    /** Writes all notifications; a frame without room is dropped. Called in the sampler thread only. */
    void send(Outbox out) {
        for (int left = waiting(); left > 0; ) {
            int part = Math.min(left, MOST_IN_FRAME);
            boolean kept = write(out, part);
            synchronized (this) {
                dropped += kept ? 0 : part;
                forget(part);
            }
            left -= part;
        }
    }

    private synchronized int waiting() {
        return count;
    }

    /** Runs without the lock: no other thread touches an entry between its addition and its removal. */
    private boolean write(Outbox out, int number) {
        out.begin(Frame.NOTIFICATIONS);
        out.u32(number);
        for (int i = 0; i < number; i++) {
            int at = (first + i) % SIZE;
            out.i64(times[at]);
            out.text(types[at]);
            out.text(sources[at]);
            out.i64(sequences[at]);
            out.text(messages[at]);
            out.i64(stamps[at]);
        }
        return out.end();
    }

    private void forget(int number) {
        for (int i = 0; i < number; i++) {
            int at = (first + i) % SIZE;
            types[at] = null;
            sources[at] = null;
            messages[at] = null;
        }
        first = (first + number) % SIZE;
        count -= number;
    }
}
