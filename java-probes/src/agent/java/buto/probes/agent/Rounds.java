package buto.probes.agent;

import buto.Round;
import buto.probes.agent.channel.Inbox;
import buto.probes.agent.threads.Allocation;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/**
 * When a round of the program's work is over. Either the program says so, and its thread waits until all is counted;
 * or each equal share of the bytes that it allocates is a round, which is seen soon after its end.
 */
final class Rounds implements Runnable {
    /** What the collector calls the moment after a round. */
    static final String POINT = "round";

    /** How often it is seen what the program has allocated. */
    private static final long LOOK_NANOS = 1000000L;

    /** The longest time for which a thread of the program waits. */
    private static final long LONGEST_NANOS = 60000000000L;

    /** Of a share, bytes; 0 if the program marks its rounds, or the collector does. */
    private final long share;

    /** Of the rounds that the program marks, only each multiple of this is counted. */
    private final int every;

    /** Then no more is counted. */
    private final int most;

    /** Where the heap is dumped after the last round; empty for nowhere, and when that is over. */
    private String dump;

    private Thread sampler;
    private long marked;
    private long wanted;
    private long counted;

    /** What the program has allocated when the next share is over. */
    private long shareEnd;

    private boolean isOver;

    /**
     * Decodes the part of an ACCEPT that is about them.
     *
     * @throws IOException if it is malformed
     */
    Rounds(long share, Inbox frame) throws IOException {
        this.share = share;
        shareEnd = share;
        every = frame.u32();
        most = frame.u32();
        dump = frame.text();
        if (share < 0 || every < 1 || most < 1) {
            throw new IOException("impossible rounds");
        }
    }

    /** Listens to the program from now on. */
    void begin(Thread sampler) {
        this.sampler = sampler;
        Round.countBy(this);
    }

    /** Called by a thread of the program at the end of a round. */
    @Override
    public synchronized void run() {
        marked++;
        if (isOver || share > 0 || wanted >= most || marked % every != 0) {
            return;
        }
        wanted++;
        long own = wanted;
        LockSupport.unpark(sampler);
        boolean wasInterrupted = false;
        long deadline = System.nanoTime() + LONGEST_NANOS;
        while (!isOver && counted < own) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                break;
            }
            try {
                wait(left / 1000000L + 1L);
            } catch (InterruptedException interrupted) {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether a round is over that is to be counted. */
    synchronized boolean isDue(Allocation allocation) {
        if (share == 0) {
            return counted < wanted;
        }
        return counted < most && allocation.byProgram() >= shareEnd;
    }

    /** How long the sampler may sleep until it looks again, nanoseconds. */
    synchronized long pause() {
        return share > 0 && counted < most ? LOOK_NANOS : Long.MAX_VALUE;
    }

    /** Whether the program waits at the end of a round; in equal shares it goes on. */
    boolean isHeld() {
        return share == 0;
    }

    /** Whether the next round is the last that is counted. */
    synchronized boolean isLast() {
        return counted == most - 1;
    }

    /**
     * A round was counted: the program goes on. For shares that ended meanwhile there are shorter rounds, of half a
     * share, so that one long count costs no round.
     */
    synchronized void count(Allocation allocation) {
        counted++;
        shareEnd = Math.max((counted + 1) * share, allocation.byProgram() + share / 2);
        notifyAll();
    }

    /** Returns where to dump the heap; empty from the second time on. */
    String takeDump() {
        String file = dump;
        dump = "";
        return file;
    }

    /** How many rounds the program has marked so far. */
    synchronized long marked() {
        return marked;
    }

    /** Nothing will be counted any more: nobody waits. */
    synchronized void end() {
        isOver = true;
        notifyAll();
    }
}
