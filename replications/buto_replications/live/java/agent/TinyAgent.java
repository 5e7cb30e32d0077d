package live.agent;

import java.lang.instrument.Instrumentation;

/** An agent beside buto's that does next to nothing. */
public final class TinyAgent {
    private TinyAgent() {}

    public static void premain(String argument, Instrumentation instrumentation) {
        System.setProperty("live.agent", "was here");
    }
}
