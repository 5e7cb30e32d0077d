package buto.probes.agent;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Threads; the sampler thread and, in the last sample, the exit hook are among them. */
final class ThreadBean extends Bean {
    private final ThreadMXBean bean = ManagementFactory.getThreadMXBean();
    private final int daemons;
    private final int live;
    private final int started;

    ThreadBean(Columns columns) {
        super("java.lang:type=Threading", columns);
        daemons = columns.add("jvm.thread.daemon.count", "{thread}", Columns.GAUGE);
        live = columns.add("jvm.thread.count", "{thread}", Columns.GAUGE);
        started = columns.add("jvm.thread.started", "{thread}", Columns.COUNTER);
        declared(columns);
    }

    @Override
    void read(Columns columns) {
        columns.set(daemons, bean.getDaemonThreadCount());
        columns.set(live, bean.getThreadCount());
        columns.set(started, bean.getTotalStartedThreadCount());
    }
}
