package buto;

/**
 * Where a program says that a round of its work is over, so that {@code buto grow} counts what is alive then. A program
 * calls it by reflection, and needs nothing of buto: {@code Class.forName("buto.Round").getMethod("end").invoke(null)}.
 *
 * <p>Belongs to the program's class path, as the agent's jar does; loaded only if somebody uses it.
 */
public final class Round {
    private static volatile Runnable counter;

    private Round() {}

    /** Ends a round. Returns when everything is counted; at once if nobody counts. Never throws. */
    public static void end() {
        Runnable known = counter;
        if (known == null) {
            return;
        }
        try {
            known.run();
        } catch (Throwable uncounted) {
            // A round that cannot be counted must not be noticed.
        }
    }

    /** Called by the agent, once. */
    public static synchronized void countBy(Runnable agent) {
        if (counter == null) {
            counter = agent;
        }
    }
}
