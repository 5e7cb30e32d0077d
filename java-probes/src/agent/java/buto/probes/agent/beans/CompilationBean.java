package buto.probes.agent.beans;

import buto.probes.agent.channel.Columns;
import buto.probes.agent.platform.Platform;

/** Time spent in just-in-time compilation. A JVM that only interprets has the column too. */
final class CompilationBean extends Bean {
    private final Platform platform;
    private final int time;

    CompilationBean(Platform platform, Columns columns) {
        super("java.lang:type=Compilation", columns);
        this.platform = platform;
        time = columns.add("jvm.compilation.time");
        declared(columns);
    }

    @Override
    protected void read(Columns columns) {
        long millis = platform.compilationTime();
        if (millis < 0) {
            columns.unreadable(time, "this JVM has no compiler that measures its time");
        } else {
            columns.set(time, millis * MILLI);
        }
    }
}
