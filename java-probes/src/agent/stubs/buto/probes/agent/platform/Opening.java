package buto.probes.agent.platform;

import java.lang.instrument.Instrumentation;

final class Opening {
    static void open(Instrumentation instrumentation) {}

    static void openThreads(Instrumentation instrumentation) {}

    static void openCommands(Instrumentation instrumentation) {}
}
