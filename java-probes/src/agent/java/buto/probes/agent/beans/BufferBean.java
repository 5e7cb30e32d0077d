package buto.probes.agent.beans;

import buto.probes.agent.channel.Columns;
import java.lang.management.BufferPoolMXBean;

/** One buffer pool; the pool of direct buffers includes the agent's own buffer of 16 KiB. */
final class BufferBean extends Bean {
    private final BufferPoolMXBean bean;
    private final int buffers;
    private final int used;
    private final int limit;

    BufferBean(BufferPoolMXBean bean, Columns columns) {
        super("java.nio:name=" + bean.getName() + ",type=BufferPool", columns);
        this.bean = bean;
        String pool = "[" + bean.getName() + "]";
        buffers = columns.add("jvm.buffer.count" + pool);
        used = columns.add("jvm.buffer.memory.used" + pool);
        limit = columns.add("jvm.buffer.memory.limit" + pool);
        declared(columns);
    }

    @Override
    protected void read(Columns columns) {
        columns.set(buffers, bean.getCount());
        columns.setIfDefined(used, bean.getMemoryUsed(), 1.0);
        columns.set(limit, bean.getTotalCapacity());
    }
}
