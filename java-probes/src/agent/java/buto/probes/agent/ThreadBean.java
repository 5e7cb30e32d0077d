package buto.probes.agent;

/** Threads, including the sampler thread and, in the last sample, the exit hook. */
final class ThreadBean extends Bean {
    private final Platform platform;
    private final int daemons;
    private final int live;
    private final int started;

    ThreadBean(Platform platform, Columns columns) {
        super("java.lang:type=Threading", columns);
        this.platform = platform;
        daemons = columns.add("jvm.thread.daemon.count");
        live = columns.add("jvm.thread.count");
        started = columns.add("jvm.thread.started");
        declared(columns);
    }

    @Override
    void read(Columns columns) {
        columns.set(daemons, platform.daemonThreads());
        columns.set(live, platform.liveThreads());
        columns.set(started, platform.startedThreads());
    }
}
