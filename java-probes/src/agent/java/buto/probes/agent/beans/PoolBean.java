package buto.probes.agent.beans;

import buto.probes.agent.channel.Columns;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryUsage;

/** One memory pool. Every pool has the columns of the usage threshold, even if it does not support one. */
final class PoolBean extends Bean {
    private final MemoryPoolMXBean bean;
    private final HeapAfterCollection heap;
    private final boolean hasThreshold;
    private final int committed;
    private final int used;
    private final int threshold;
    private final int crossings;
    private final int afterCollection;

    /** Whether a collection of this pool was seen: the JVM gives zeros before the first. */
    private boolean wasCollected;

    /**
     * Begins the bean.
     *
     * @param heap read before
     */
    PoolBean(MemoryPoolMXBean bean, HeapAfterCollection heap, Columns columns) {
        super("java.lang:name=" + bean.getName() + ",type=MemoryPool", columns);
        this.bean = bean;
        this.heap = heap;
        hasThreshold = bean.isUsageThresholdSupported();
        String pool = "[" + bean.getName() + "]";
        committed = columns.add("jvm.memory.committed" + pool);
        used = columns.add("jvm.memory.used" + pool);
        threshold = columns.add("jvm.memory.threshold" + pool);
        crossings = columns.add("jvm.memory.threshold.crossings" + pool);
        afterCollection = columns.add("jvm.memory.used_after_last_gc" + pool);
        declared(columns);
    }

    @Override
    protected void read(Columns columns) {
        MemoryUsage usage = bean.getUsage();
        if (usage == null) {
            failed(columns, "the JVM says that the pool is not valid");
            return;
        }
        columns.set(committed, usage.getCommitted());
        columns.set(used, usage.getUsed());
        if (hasThreshold) {
            columns.set(threshold, bean.getUsageThreshold());
            columns.set(crossings, bean.getUsageThresholdCount());
        } else {
            columns.unreadable(threshold, "this pool does not support a usage threshold");
            columns.unreadable(crossings, "this pool does not support a usage threshold");
        }
        readAfterCollection(columns);
    }

    private void readAfterCollection(Columns columns) {
        MemoryUsage usage = bean.getCollectionUsage();
        if (usage == null) {
            columns.unreadable(afterCollection, "no collection empties this pool");
            return;
        }
        // Pools without a threshold are those for new objects, which every collection empties.
        wasCollected |= usage.getUsed() > 0 || usage.getCommitted() > 0 || !hasThreshold && heap.wasCollected();
        if (wasCollected) {
            columns.set(afterCollection, usage.getUsed());
        } else {
            columns.unreadable(afterCollection, "there was no collection yet");
        }
    }
}
