package buto.probes.agent;

import java.lang.instrument.Instrumentation;

final class Opening {
    static void open(Instrumentation instrumentation) {}

    static void openCommands(Instrumentation instrumentation) {}
}
