package buto.probes.agent.beans;

import buto.probes.agent.channel.Columns;
import java.lang.management.GarbageCollectorMXBean;

/** One garbage collector. */
final class CollectorBean extends Bean {
    private final GarbageCollectorMXBean bean;
    private final int collections;
    private final int time;

    CollectorBean(GarbageCollectorMXBean bean, Columns columns) {
        super("java.lang:name=" + bean.getName() + ",type=GarbageCollector", columns);
        this.bean = bean;
        collections = columns.add("jvm.gc.count[" + bean.getName() + "]");
        time = columns.add("jvm.gc.time[" + bean.getName() + "]");
        declared(columns);
    }

    @Override
    protected void read(Columns columns) {
        columns.setIfDefined(collections, bean.getCollectionCount(), 1.0);
        columns.setIfDefined(time, bean.getCollectionTime(), MILLI);
    }
}
