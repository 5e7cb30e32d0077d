package buto.probes.agent.beans;

import buto.probes.agent.channel.Columns;
import buto.probes.agent.platform.Platform;
import buto.probes.agent.threads.Allocation;
import buto.probes.agent.threads.Contention;

/**
 * Threads, including the sampler thread and, in the last sample, the exit hook; what they allocated, and how often
 * they waited for each other.
 */
final class ThreadBean extends Bean {
    private final Platform platform;
    private final Allocation allocation;
    private final Contention contention;
    private final int daemons;
    private final int live;
    private final int started;
    private final int allocated;
    private final int contended;

    ThreadBean(Platform platform, Allocation allocation, Columns columns) {
        super("java.lang:type=Threading", columns);
        this.platform = platform;
        this.allocation = allocation;
        contention = new Contention(platform);
        daemons = columns.add("jvm.thread.daemon.count");
        live = columns.add("jvm.thread.count");
        started = columns.add("jvm.thread.started");
        allocated = columns.add("jvm.memory.allocated");
        contended = columns.add("jvm.lock.contended");
        declared(columns);
    }

    /** Makes the next sample read what is too dear for every one. */
    void refresh() {
        contention.refresh();
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
        columns.set(contended, contention.blocked());
    }
}
