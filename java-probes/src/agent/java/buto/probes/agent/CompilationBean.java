package buto.probes.agent;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;

/** Time spent in just-in-time compilation; the column is there in a JVM that only interprets too. */
final class CompilationBean extends Bean {
    private final CompilationMXBean bean = ManagementFactory.getCompilationMXBean();
    private final boolean supported = bean != null && bean.isCompilationTimeMonitoringSupported();
    private final int time;

    CompilationBean(Columns columns) {
        super("java.lang:type=Compilation", columns);
        time = columns.add("jvm.compilation.time", "s", Columns.COUNTER);
        declared(columns);
    }

    @Override
    void read(Columns columns) {
        if (supported) {
            columns.set(time, bean.getTotalCompilationTime() * MILLI);
        } else {
            columns.unreadable(time, "this JVM has no compiler that measures its time");
        }
    }
}
