package buto.probes.agent.beans;

import buto.probes.agent.channel.Columns;
import buto.probes.agent.platform.Platform;

/** Threads, including the sampler thread and, in the last sample, the exit hook; and what they allocated. */
final class ThreadBean extends Bean {
    private final Platform platform;
    private final Allocation allocation;
    private final int daemons;
    private final int live;
    private final int started;
    private final int allocated;

    ThreadBean(Platform platform, Allocation allocation, Columns columns) {
        super("java.lang:type=Threading", columns);
        this.platform = platform;
        this.allocation = allocation;
        daemons = columns.add("jvm.thread.daemon.count");
        live = columns.add("jvm.thread.count");
        started = columns.add("jvm.thread.started");
        allocated = columns.add("jvm.memory.allocated");
        declared(columns);
    }

    @Override
    protected void read(Columns columns) {
        columns.set(daemons, platform.daemonThreads());
        columns.set(live, platform.liveThreads());
        columns.set(started, platform.startedThreads());
        if (allocation.isCounted()) {
            columns.setIfDefined(allocated, allocation.byProgram(), 1.0);
        } else {
            columns.unreadable(allocated, Allocation.NOT_COUNTED);
        }
    }
}
