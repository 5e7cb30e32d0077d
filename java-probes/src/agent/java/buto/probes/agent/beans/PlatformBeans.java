package buto.probes.agent.beans;

import buto.probes.agent.channel.Columns;
import buto.probes.agent.platform.BufferPools;
import buto.probes.agent.platform.Platform;
import buto.probes.agent.platform.Proc;
import buto.probes.agent.threads.Allocation;
import java.lang.instrument.Instrumentation;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryPoolMXBean;
import java.util.ArrayList;

/** The default properties: what any JVM reports about itself, and the cost of measuring. */
public final class PlatformBeans {
    private final Allocation allocation;
    private final NativeMemory nativeMemory;
    private final ThreadBean threads;
    private final Bean[] beans;
    private final MemoryMXBean memory;
    private final ArrayList<CollectorBean> collectors = new ArrayList<CollectorBean>();
    private final OwnCost cost;

    /**
     * Adds the columns, in the sampler thread.
     *
     * @param proc null if the system has none
     */
    public PlatformBeans(Platform platform, Proc proc, Instrumentation instrumentation, Columns columns) {
        allocation = new Allocation(platform);
        nativeMemory = new NativeMemory(platform.inputArguments(), instrumentation, columns);
        threads = new ThreadBean(platform, allocation, columns);
        memory = platform.memory();
        beans = beans(platform, proc, threads, columns);
        cost = new OwnCost(platform.threads(), allocation, columns);
    }

    /** Beans are read through their interfaces, without an MBean server; the JVM and its options decide which exist. */
    private Bean[] beans(Platform platform, Proc proc, ThreadBean threads, Columns columns) {
        ArrayList<Bean> beans = new ArrayList<Bean>();
        beans.add(new ClassLoadingBean(platform, columns));
        beans.add(new CompilationBean(platform, columns));
        HeapAfterCollection heap = new HeapAfterCollection(platform.pools(), platform.collectors());
        beans.add(new MemoryBean(platform.memory(), heap, columns));
        beans.add(threads);
        beans.add(new ProcessBean(proc, columns));
        for (MemoryPoolMXBean pool : platform.pools()) {
            beans.add(new PoolBean(pool, heap, columns));
        }
        for (GarbageCollectorMXBean collector : platform.collectors()) {
            CollectorBean bean = new CollectorBean(collector, columns);
            beans.add(bean);
            collectors.add(bean);
        }
        BufferPools pools = platform.bufferPools();
        for (int i = 0; i < pools.names().length; i++) {
            beans.add(new BufferBean(pools, i, columns));
        }
        return beans.toArray(new Bean[0]);
    }

    /** What knows whose bytes the sampler thread allocates. */
    public Allocation allocation() {
        return allocation;
    }

    /** Makes the current row read what is too dear for every one: native memory, if the JVM tracks it, and each thread. */
    public void readSeldom(Columns columns) {
        nativeMemory.read(columns);
        threads.refresh();
    }

    /** Reads every bean into the current row. */
    public void sample(Columns columns) {
        for (Bean bean : beans) {
            bean.sample(columns);
        }
    }

    /** Returns the bytes of the heap that are in use now. */
    long heapUsed() {
        return memory.getHeapMemoryUsage().getUsed();
    }

    /** Returns the longest time of a collection up to the last sample. */
    long longestCollectionMillis() {
        long longest = 0;
        for (CollectorBean collector : collectors) {
            longest = Math.max(longest, collector.longestMillis());
        }
        return longest;
    }

    /** Completes a row that began at the given nanoTime; must be called in the sampler thread. */
    public void readCost(Columns columns, long began, long missedTicks) {
        cost.read(columns, began, missedTicks);
    }
}
