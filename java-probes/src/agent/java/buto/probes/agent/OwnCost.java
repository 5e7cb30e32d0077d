package buto.probes.agent;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** What measuring itself costs: columns that come last in every row. */
final class OwnCost {
    private final SunBeans sun;
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final boolean hasCpuTime = threads.isCurrentThreadCpuTimeSupported();
    private final int snapshot;
    private final int allocated;
    private final int cpu;
    private final int missed;

    /**
     * Adds the columns.
     *
     * @param sun null in a JVM without com.sun.management
     */
    OwnCost(SunBeans sun, Columns columns) {
        this.sun = sun;
        snapshot = columns.add("buto.snapshot.time", "s", Columns.GAUGE);
        allocated = columns.add("buto.snapshot.allocated", "By", Columns.COUNTER);
        cpu = columns.add("buto.sampler.cpu.time", "s", Columns.COUNTER);
        missed = columns.add("buto.missed.ticks", "{tick}", Columns.COUNTER);
    }

    /** Completes a row that was begun at a nanoTime; must be called in the sampler thread. */
    void read(Columns columns, long began, long missedTicks) {
        columns.set(missed, missedTicks);
        if (hasCpuTime) {
            columns.setIfDefined(cpu, threads.getCurrentThreadCpuTime(), Bean.NANO);
        } else {
            columns.unreadable(cpu, "this JVM does not measure the processor time of threads");
        }
        if (sun == null) {
            columns.unreadable(allocated, SunBeans.MISSING);
        } else {
            columns.setIfDefined(allocated, sun.allocatedBytes(Thread.currentThread().getId()), 1.0);
        }
        columns.set(snapshot, (System.nanoTime() - began) * Bean.NANO);
    }
}
