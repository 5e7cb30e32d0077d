package buto.probes.agent;

/**
 * Holds {@code main} for a bounded time. It is either opened in time, and the program is measured
 * from its first instruction, or given up for good: the first decision holds.
 */
final class Gate {
    private boolean decided;
    private boolean opened;

    /** Opens the gate; false if it was given up before, and {@code main} runs already. */
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

    /** Waits for a decision, and gives up at the deadline (nanoTime) or when interrupted; whether it was opened. */
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
