package buto.junit;

/**
 * Makes the end of the JVM by its scenario an error, as by {@code System.exit}, whatever the exit code: nothing tells
 * whether the scenario would have passed.
 *
 * <p>A hook of the JVM's exit, which whoever runs the scenario removes afterwards. A JVM that a signal ends, as at a
 * time limit, ends as it would without it.
 */
final class EarlyExit extends Thread {
    private final String scenario;

    EarlyExit(String scenario) {
        this.scenario = scenario;
    }

    @Override
    public void run() {
        for (StackTraceElement[] places : Thread.getAllStackTraces().values()) {
            int caller = placeBelowExit(places);
            if (caller > 0) {
                Throwable exit = new IllegalStateException(
                        scenario + " ended its JVM by System.exit before the method had returned");
                exit.setStackTrace(plain(places, caller));
                Scenario.print(exit);
                // An exit that has begun keeps its code.
                Runtime.getRuntime().halt(Scenario.FAILED);
            }
        }
    }

    /** Returns the places from a position on, without class loader and module, as those of an exception. */
    private static StackTraceElement[] plain(StackTraceElement[] places, int from) {
        StackTraceElement[] plain = new StackTraceElement[places.length - from];
        for (int i = 0; i < plain.length; i++) {
            StackTraceElement at = places[from + i];
            plain[i] = new StackTraceElement(
                    at.getClassName(), at.getMethodName(), at.getFileName(), at.getLineNumber());
        }
        return plain;
    }

    /** Returns the position of what called {@code System.exit}; 0 for a thread that did not. */
    private static int placeBelowExit(StackTraceElement[] places) {
        for (int i = places.length - 1; i >= 0; i--) {
            String owner = places[i].getClassName();
            if (places[i].getMethodName().equals("exit")
                    && (owner.equals("java.lang.System") || owner.equals("java.lang.Runtime"))) {
                return i + 1;
            }
        }
        return 0;
    }
}
