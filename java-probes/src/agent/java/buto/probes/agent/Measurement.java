package buto.probes.agent;

import java.io.IOException;
import java.lang.instrument.Instrumentation;

/** Begins to measure this JVM. The first class of the agent's own module: called through reflection. */
public final class Measurement {
    private Measurement() {}

    /** Holds {@code main} until the collector is ready or the session's bound has passed. */
    public static void fromStart(String sessionFile, Instrumentation instrumentation) throws IOException {
        long began = System.nanoTime();
        Session session = Session.read(sessionFile);
        long deadline = began + session.gateNanos;
        Gate gate = new Gate();
        Sampler sampler = new Sampler(session, instrumentation, gate, deadline);
        sampler.start();
        if (!gate.hold(deadline)) {
            awaitEnd(sampler, deadline);
        }
    }

    /** Measures a program that runs already, and goes on meanwhile. */
    public static void running(String sessionFile, Instrumentation instrumentation) throws IOException {
        long began = System.nanoTime();
        Session session = Session.read(sessionFile);
        new Sampler(session, instrumentation, new Gate(), began + session.gateNanos).start();
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
}
