package buto.probes.agent;

import java.lang.instrument.Instrumentation;

/**
 * Entry point of the agent: {@code -javaagent:buto-agent.jar=SESSION_FILE}, or loaded into a running JVM.
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
        long began = System.nanoTime();
        try {
            if (sessionFile != null && isFirst()) {
                Session session = Session.read(sessionFile);
                long deadline = began + session.gateNanos;
                Gate gate = new Gate();
                Sampler sampler = new Sampler(session, instrumentation, gate, deadline);
                sampler.start();
                if (!gate.hold(deadline)) {
                    awaitEnd(sampler, deadline);
                }
            }
        } catch (Throwable unmeasured) {
            // An agent that cannot measure must not be noticed.
        }
    }

    /**
     * Called by the JVM if the agent is loaded while the program runs. The program goes on meanwhile.
     *
     * @param sessionFile path of the session file; without one the program runs unmeasured
     */
    public static void agentmain(String sessionFile, Instrumentation instrumentation) {
        long began = System.nanoTime();
        try {
            if (sessionFile != null) {
                Session session = Session.read(sessionFile);
                new Sampler(session, instrumentation, new Gate(), began + session.gateNanos).start();
            }
        } catch (Throwable unmeasured) {
            // An agent that cannot measure must not be noticed.
        }
    }

    /** Waits for the sampler's end, so that a program that is not measured runs without a thread of the agent. */
    private static void awaitEnd(Thread sampler, long deadline) {
        long left = (deadline - System.nanoTime()) / 1000000L;
        try {
            if (left > 0) {
                sampler.join(left);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether this is the first agent in this JVM; JAVA_TOOL_OPTIONS may load a second one. */
    private static synchronized boolean isFirst() {
        boolean first = !loaded;
        loaded = true;
        return first;
    }
}
