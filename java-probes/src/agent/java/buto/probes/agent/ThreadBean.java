package buto.probes.agent;

/** Threads; the sampler thread and, in the last sample, the exit hook are among them. */
final class ThreadBean extends Bean {
    private final Platform platform;
    private final int daemons;
    private final int live;
    private final int started;

    ThreadBean(Platform platform, Columns columns) {
        super("java.lang:type=Threading", columns);
        this.platform = platform;
        daemons = columns.add("jvm.thread.daemon.count", "{thread}", Columns.GAUGE);
        live = columns.add("jvm.thread.count", "{thread}", Columns.GAUGE);
        started = columns.add("jvm.thread.started", "{thread}", Columns.COUNTER);
        declared(columns);
    }

    @Override
    void read(Columns columns) {
        columns.set(daemons, platform.daemonThreads());
        columns.set(live, platform.liveThreads());
        columns.set(started, platform.startedThreads());
    }
}
