package buto.probes.agent;

/** One buffer pool; the agent's own buffer of 16 KiB is in the pool of direct ones. */
final class BufferBean extends Bean {
    private final Platform platform;
    private final int number;
    private final int buffers;
    private final int used;
    private final int limit;

    BufferBean(Platform platform, int number, Columns columns) {
        super("java.nio:name=" + platform.bufferPoolName(number) + ",type=BufferPool", columns);
        this.platform = platform;
        this.number = number;
        String pool = "[" + platform.bufferPoolName(number) + "]";
        buffers = columns.add("jvm.buffer.count" + pool, "{buffer}", Columns.GAUGE);
        used = columns.add("jvm.buffer.memory.used" + pool, "By", Columns.GAUGE);
        limit = columns.add("jvm.buffer.memory.limit" + pool, "By", Columns.GAUGE);
        declared(columns);
    }

    @Override
    void read(Columns columns) {
        columns.set(buffers, platform.buffers(number));
        columns.setIfDefined(used, platform.bufferMemory(number), 1.0);
        columns.set(limit, platform.bufferCapacity(number));
    }
}
