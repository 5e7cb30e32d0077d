package buto.probes.agent.beans;

import buto.probes.agent.channel.Columns;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryUsage;

/** Heap and non-heap memory as a whole, and objects that wait for finalization. */
final class MemoryBean extends Bean {
    private final MemoryMXBean bean;
    private final HeapAfterCollection after;
    private final int pending;
    private final int heapCommitted;
    private final int heapUsed;
    private final int heapAfterCollection;
    private final int otherCommitted;
    private final int otherUsed;

    MemoryBean(MemoryMXBean bean, HeapAfterCollection after, Columns columns) {
        super("java.lang:type=Memory", columns);
        this.bean = bean;
        this.after = after;
        pending = columns.add("jvm.memory.pending_finalization");
        heapCommitted = columns.add("jvm.memory.heap.committed");
        heapUsed = columns.add("jvm.memory.heap.used");
        heapAfterCollection = columns.add("jvm.memory.heap.used_after_last_gc");
        otherCommitted = columns.add("jvm.memory.non_heap.committed");
        otherUsed = columns.add("jvm.memory.non_heap.used");
        declared(columns);
    }

    @Override
    protected void read(Columns columns) {
        MemoryUsage heap = bean.getHeapMemoryUsage();
        columns.set(heapCommitted, heap.getCommitted());
        columns.set(heapUsed, heap.getUsed());
        MemoryUsage other = bean.getNonHeapMemoryUsage();
        columns.set(otherCommitted, other.getCommitted());
        columns.set(otherUsed, other.getUsed());
        columns.set(pending, bean.getObjectPendingFinalizationCount());
        double used = after.read();
        if (used == used) {
            columns.set(heapAfterCollection, used);
        } else {
            columns.unreadable(heapAfterCollection, "there was no collection yet");
        }
    }
}
