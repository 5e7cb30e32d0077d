package buto.probes.agent;

import buto.probes.agent.channel.Inbox;
import buto.probes.agent.threads.Allocation;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.locks.LockSupport;

/**
 * What the agent uses on top of the program, so that a self-test sees whether a check finds it. It exists only if the
 * collector asks for it; no option and no variable of the program does. Used in the sampler thread.
 *
 * <p>This is one class, which uses others that every JVM has loaded, and its work is that of the sampler thread: so
 * what a check finds is what was added, and not a class or a thread more.
 */
final class Extra implements Runnable {
    private static final int ALLOCATED = 1;
    private static final int KEPT = 2;
    private static final int THREADS = 3;
    private static final int DESCRIPTORS = 4;
    private static final int CPU = 5;

    /** With its header an array of this many bytes takes {@link #SMALL}, on JVMs with compressed class pointers. */
    private static final int SMALL_CONTENT = 1008;

    private static final int SMALL = 1024;

    /** Arrays that are kept: small enough for a region of any collector. */
    private static final int PIECE = 65536;

    private static final int PIECE_CONTENT = 65520;

    /** The longest time for which it keeps the sampler from its next sample, and the exit from going on. */
    private static final long LONGEST_NANOS = 500000000L;

    /** Where the last small array is, so that the compiler cannot leave it out. */
    private static volatile Object last;

    private static final Object[] NOTHING = {};

    private final int kind;

    /** Bytes, threads, descriptors, or nanoseconds of processor time. */
    private final long amount;

    /** From the begin of {@code main}, how long it takes to allocate or to burn all of it. */
    private final long spreadNanos;

    /** How much of the amount is used; the amount if no more can be. */
    private long used;

    /** What is kept until the program ends; null before. */
    private Object[] held;

    /**
     * Decodes the end of an ACCEPT.
     *
     * @throws IOException if it is malformed
     */
    Extra(Inbox frame) throws IOException {
        kind = frame.u8();
        amount = frame.u64();
        spreadNanos = frame.u64();
        if (kind < ALLOCATED || kind > CPU || amount < 0 || spreadNanos < 0) {
            throw new IOException("unknown extra");
        }
    }

    /**
     * Uses what is due.
     *
     * @param age of {@code main}, nanoseconds
     * @param isLast whether all of it is due, since the program ends
     */
    void use(Sampler sampler, Allocation allocation, ThreadMXBean threads, long age, boolean isLast) {
        try {
            if (kind == ALLOCATED) {
                allocate(allocation, due(age, isLast));
            } else if (kind == CPU) {
                burn(sampler, threads, due(age, isLast), isLast);
            } else if (held == null) {
                hold();
            }
        } catch (Throwable noMore) {
            // The program comes first: what the JVM does not give is not used, and what is kept so far is freed.
            used = amount;
            held = NOTHING;
        }
    }

    private long due(long age, boolean isLast) {
        return isLast || age >= spreadNanos ? amount : (long) ((double) amount * age / spreadNanos);
    }

    /** Allocates garbage, which counts as the program's. */
    private void allocate(Allocation allocation, long due) {
        long before = allocation.bySampler();
        for (; used + SMALL / 2 < due; used += SMALL) {
            last = new byte[SMALL_CONTENT];
        }
        allocation.lend(allocation.bySampler() - before);
    }

    private void burn(Sampler sampler, ThreadMXBean threads, long due, boolean isLast) {
        long began = threads.getCurrentThreadCpuTime();
        long before = used;
        long deadline = System.nanoTime() + (isLast ? LONGEST_NANOS : Math.min(LONGEST_NANOS, sampler.pause()));
        while (used < due && System.nanoTime() < deadline && (isLast || !sampler.isExiting())) {
            used = before + threads.getCurrentThreadCpuTime() - began;
        }
    }

    private void hold() throws IOException {
        Object[] all = new Object[(int) (kind == KEPT ? (amount + PIECE - 1) / PIECE : amount)];
        for (int i = 0; i < all.length; i++) {
            if (kind == KEPT) {
                all[i] = new byte[(int) Math.min(PIECE_CONTENT, amount - (long) i * PIECE)];
            } else if (kind == DESCRIPTORS) {
                all[i] = new RandomAccessFile("/dev/null", "r");
            } else {
                Thread idle = new Thread(Sampler.topGroup(), this, "buto-extra");
                idle.setDaemon(true);
                idle.start();
                all[i] = idle;
            }
        }
        held = all;
    }

    /** An idle thread, until the program ends. */
    @Override
    public void run() {
        while (true) {
            LockSupport.park();
            Thread.interrupted();
        }
    }
}
