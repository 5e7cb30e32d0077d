package buto.testprograms.launch;

import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Ends the JVM after a time, from a thread of its own and without tidying up, whatever the program is doing. */
public final class ExitAfter extends Thread {
    private final long end;
    private final Supplier<String> summary;

    private ExitAfter(long nanos, Supplier<String> summary) {
        super("exit-after");
        this.end = System.nanoTime() + nanos;
        this.summary = summary;
        setDaemon(true);
    }

    /**
     * Starts the clock.
     *
     * @param summary what to print last; called on the timer's thread
     */
    public static void start(long nanos, Supplier<String> summary) {
        new ExitAfter(nanos, summary).start();
    }

    @Override
    public void run() {
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
        System.out.println(summary.get());
        System.exit(0);
    }
}
