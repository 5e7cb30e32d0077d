package buto.probes.agent;

import java.lang.instrument.Instrumentation;

/**
 * Entry point of the agent: {@code -javaagent:buto-agent.jar=SESSION_FILE}, or loaded into a running JVM. Only this
 * class and {@link OwnModule} belong to the program's class path; all others are loaded into a module of their own.
 *
 * <p>On the command line it holds {@code main} until the collector is ready or the session's bound has passed.
 * Whatever goes wrong, the program runs, and nothing is printed, thrown or left behind.
 */
public final class Agent {
    private static boolean loaded;

    private Agent() {}

    /**
     * Called by the JVM before {@code main}. The JVM looks for this signature first; for any other it would create
     * an exception, and load the streams and lambdas that build its message.
     *
     * @param sessionFile path of the session file; without one the program runs unmeasured
     */
    public static void premain(String sessionFile, Instrumentation instrumentation) {
        if (isFirst()) {
            measure("fromStart", sessionFile, instrumentation);
        }
    }

    /**
     * Called by the JVM if the agent is loaded while the program runs. The program goes on meanwhile.
     *
     * @param sessionFile path of the session file; without one the program runs unmeasured
     */
    public static void agentmain(String sessionFile, Instrumentation instrumentation) {
        measure("running", sessionFile, instrumentation);
    }

    private static void measure(String how, String sessionFile, Instrumentation instrumentation) {
        try {
            if (sessionFile != null) {
                new OwnModule()
                        .loadClass("buto.probes.agent.Measurement")
                        .getMethod(how, String.class, Instrumentation.class)
                        .invoke(null, sessionFile, instrumentation);
            }
        } catch (Throwable unmeasured) {
            // An agent that cannot measure must not be noticed.
        }
    }

    /** Whether this is the first agent in this JVM; JAVA_TOOL_OPTIONS may load a second one. */
    private static synchronized boolean isFirst() {
        boolean first = !loaded;
        loaded = true;
        return first;
    }
}
