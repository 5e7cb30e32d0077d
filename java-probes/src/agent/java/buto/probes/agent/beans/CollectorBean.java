package buto.probes.agent.beans;

import buto.probes.agent.channel.Columns;
import java.lang.management.GarbageCollectorMXBean;

/** One garbage collector. */
final class CollectorBean extends Bean {
    private final GarbageCollectorMXBean bean;
    private final int collections;
    private final int time;

    /** As read last. */
    private long lastCount;

    private long lastMillis;
    private long longestMillis;

    CollectorBean(GarbageCollectorMXBean bean, Columns columns) {
        super("java.lang:name=" + bean.getName() + ",type=GarbageCollector", columns);
        this.bean = bean;
        collections = columns.add("jvm.gc.count[" + bean.getName() + "]");
        time = columns.add("jvm.gc.time[" + bean.getName() + "]");
        declared(columns);
    }

    @Override
    protected void read(Columns columns) {
        long count = bean.getCollectionCount();
        long millis = bean.getCollectionTime();
        columns.setIfDefined(collections, count, 1.0);
        columns.setIfDefined(time, millis, MILLI);
        if (count > lastCount) {
            longestMillis = Math.max(longestMillis, (millis - lastMillis) / (count - lastCount));
        }
        lastCount = count;
        lastMillis = millis;
    }

    /** Returns the longest time of a collection so far; of those between two samples, the mean. */
    long longestMillis() {
        return longestMillis;
    }
}
