package buto.probes.agent.beans;

import buto.probes.agent.channel.Columns;
import buto.probes.agent.platform.BufferPools;

/** One buffer pool. */
final class BufferBean extends Bean {
    private final BufferPools pools;
    private final int pool;
    private final int buffers;
    private final int used;
    private final int limit;

    /**
     * Begins the bean.
     *
     * @param pool its number in the pools
     */
    BufferBean(BufferPools pools, int pool, Columns columns) {
        super("java.nio:name=" + pools.names()[pool] + ",type=BufferPool", columns);
        this.pools = pools;
        this.pool = pool;
        String name = "[" + pools.names()[pool] + "]";
        buffers = columns.add("jvm.buffer.count" + name);
        used = columns.add("jvm.buffer.memory.used" + name);
        limit = columns.add("jvm.buffer.memory.limit" + name);
        declared(columns);
    }

    @Override
    protected void read(Columns columns) {
        if (!pools.isReadable(pool)) {
            failed(columns, "this JVM's beans are read after the program's first second");
            return;
        }
        columns.set(buffers, pools.count(pool));
        columns.setIfDefined(used, pools.used(pool), 1.0);
        columns.set(limit, pools.capacity(pool));
    }
}
