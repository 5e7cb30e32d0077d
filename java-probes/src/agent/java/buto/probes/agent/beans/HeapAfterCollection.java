package buto.probes.agent.beans;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.List;

/**
 * The bytes of the heap that were in use just after the last collection. The JVM keeps this number for each pool
 * that a collection has emptied. A pool that the last collection left alone, as most leave the old generation,
 * counts with its use at the first sample afterwards.
 */
final class HeapAfterCollection {
    private final MemoryPoolMXBean[] pools;
    private final GarbageCollectorMXBean[] collectors;

    /** By pool, the JVM's number when it was last read. */
    private final long[] kept;

    private long collections;
    private double known = Double.NaN;

    HeapAfterCollection(List<MemoryPoolMXBean> all, List<GarbageCollectorMXBean> collectors) {
        int count = 0;
        MemoryPoolMXBean[] heap = new MemoryPoolMXBean[all.size()];
        for (MemoryPoolMXBean pool : all) {
            if (pool.getType() == MemoryType.HEAP) {
                heap[count++] = pool;
            }
        }
        pools = new MemoryPoolMXBean[count];
        System.arraycopy(heap, 0, pools, 0, count);
        kept = new long[count];
        this.collectors = collectors.toArray(new GarbageCollectorMXBean[0]);
    }

    /** Whether there was a collection up to the last {@link #read}. */
    boolean wasCollected() {
        return collections > 0;
    }

    /** Returns NaN before the first collection. */
    double read() {
        long now = 0;
        for (GarbageCollectorMXBean collector : collectors) {
            now += Math.max(0, collector.getCollectionCount());
        }
        if (now != collections) {
            collections = now;
            known = sum();
        }
        return known;
    }

    private double sum() {
        double sum = 0;
        for (int i = 0; i < pools.length; i++) {
            sum += used(i);
        }
        return sum;
    }

    private long used(int pool) {
        MemoryUsage after = pools[pool].getCollectionUsage();
        if (after == null) {
            return pools[pool].getUsage().getUsed();
        }
        boolean wasCollected = after.getUsed() != kept[pool];
        kept[pool] = after.getUsed();
        // Pools for new objects have no usage threshold, and every collection empties them.
        return wasCollected || pools.length == 1 || !pools[pool].isUsageThresholdSupported()
                ? after.getUsed()
                : pools[pool].getUsage().getUsed();
    }
}
