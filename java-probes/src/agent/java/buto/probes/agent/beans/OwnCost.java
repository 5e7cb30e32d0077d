package buto.probes.agent.beans;

import buto.probes.agent.channel.Columns;
import buto.probes.agent.threads.Allocation;
import java.lang.management.ThreadMXBean;

/** The cost of measuring: columns that come last in every row. Created in the sampler thread. */
final class OwnCost {
    private final ThreadMXBean threads;
    private final boolean hasCpuTime;
    private final Allocation allocation;
    private final int snapshot;
    private final int allocated;
    private final int cpu;
    private final int missed;

    /** Adds the columns. */
    OwnCost(ThreadMXBean threads, Allocation allocation, Columns columns) {
        this.threads = threads;
        hasCpuTime = threads.isCurrentThreadCpuTimeSupported();
        this.allocation = allocation;
        snapshot = columns.add("buto.snapshot.time");
        allocated = columns.add("buto.snapshot.allocated");
        cpu = columns.add("buto.sampler.cpu.time");
        missed = columns.add("buto.missed.ticks");
    }

    /** Completes a row that began at the given nanoTime; must be called in the sampler thread. */
    void read(Columns columns, long began, long missedTicks) {
        columns.set(missed, missedTicks);
        if (hasCpuTime) {
            columns.setIfDefined(cpu, threads.getCurrentThreadCpuTime(), Bean.NANO);
        } else {
            columns.unreadable(cpu, "this JVM does not measure the processor time of threads");
        }
        if (allocation.isCounted()) {
            columns.setIfDefined(allocated, allocation.bySampler(), 1.0);
        } else {
            columns.unreadable(allocated, Allocation.NOT_COUNTED);
        }
        columns.set(snapshot, (System.nanoTime() - began) * Bean.NANO);
    }
}
