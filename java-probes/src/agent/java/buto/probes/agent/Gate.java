package buto.probes.agent;

/**
 * Holds {@code main} for a bounded time. Either it is opened in time and the program is measured from its first
 * instruction, or it is given up for good: the first decision counts.
 */
final class Gate {
    private boolean decided;
    private boolean opened;

    /** Opens the gate; returns false if it was given up before, so that {@code main} is already running. */
    synchronized boolean open() {
        if (!decided) {
            decided = true;
            opened = true;
            notifyAll();
        }
        return opened;
    }

    /** Lets {@code main} run unmeasured, unless the gate is open. */
    synchronized void giveUp() {
        decided = true;
        notifyAll();
    }

    /** Waits until the deadline (nanoTime) or an interrupt, then gives up; returns whether it was opened. */
    synchronized boolean hold(long deadline) {
        try {
            while (!decided) {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    decided = true;
                } else {
                    wait(left / 1000000L + 1L);
                }
            }
        } catch (InterruptedException interrupted) {
            decided = true;
            Thread.currentThread().interrupt();
        }
        return opened;
    }
}
