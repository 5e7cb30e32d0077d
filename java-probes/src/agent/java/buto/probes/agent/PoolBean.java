package buto.probes.agent;

import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryUsage;

/** One memory pool. Every pool has the columns of the usage threshold, even if it does not support one. */
final class PoolBean extends Bean {
    private final MemoryPoolMXBean bean;
    private final boolean hasThreshold;
    private final int committed;
    private final int used;
    private final int threshold;
    private final int crossings;

    PoolBean(MemoryPoolMXBean bean, Columns columns) {
        super("java.lang:name=" + bean.getName() + ",type=MemoryPool", columns);
        this.bean = bean;
        hasThreshold = bean.isUsageThresholdSupported();
        String pool = "[" + bean.getName() + "]";
        committed = columns.add("jvm.memory.committed" + pool);
        used = columns.add("jvm.memory.used" + pool);
        threshold = columns.add("jvm.memory.threshold" + pool);
        crossings = columns.add("jvm.memory.threshold.crossings" + pool);
        declared(columns);
    }

    @Override
    void read(Columns columns) {
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
    }
}
