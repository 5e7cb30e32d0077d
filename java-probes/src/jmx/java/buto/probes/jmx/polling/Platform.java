package buto.probes.jmx.polling;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;

/** The default properties: Table 3.6 of the thesis, and the processor time of the process. */
final class Platform {
    private static final double MS = 1e-3;
    private static final double NS = 1e-9;

    private final Columns columns;
    private final List<Bean> beans = new ArrayList<>();

    private Platform(Columns columns) {
        this.columns = columns;
    }

    /** The names of the JVM's own MBeans. */
    static Set<ObjectName> names(MBeanServerConnection server) throws IOException, JMException {
        return new TreeSet<>(server.queryNames(new ObjectName("java.*:type=*,*"), null));
    }

    /** The beans of this JVM; all their columns exist from now on, whatever the values. */
    static List<Bean> beans(Set<ObjectName> names, Columns columns) throws JMException {
        Platform platform = new Platform(columns);
        platform.single();
        platform.heap(ofType("GarbageCollector", names), ofType("MemoryPool", names));
        ofType("BufferPool", names).forEach(platform::buffers);
        columns.explain(columns.of("jvm.memory.native.committed"), "only the agent reads native memory");
        columns.explain(columns.of("jvm.lock.contended"), "only the agent reads the counters of each thread");
        return platform.beans;
    }

    static List<ObjectName> ofType(String type, Set<ObjectName> names) {
        return names.stream()
                .filter(name -> type.equals(name.getKeyProperty("type")) && name.getKeyProperty("name") != null)
                .collect(Collectors.toList());
    }

    /** The name of the pool or collector that an MBean stands for. */
    static String instance(ObjectName bean) {
        String name = bean.getKeyProperty("name");
        return name.startsWith("\"") ? ObjectName.unquote(name) : name;
    }

    private void single() throws JMException {
        Bean classes = bean(new ObjectName("java.lang:type=ClassLoading"));
        add(classes, "TotalLoadedClassCount", null, "jvm.class.loaded", 1);
        add(classes, "LoadedClassCount", null, "jvm.class.count", 1);
        add(classes, "UnloadedClassCount", null, "jvm.class.unloaded", 1);
        Bean compiler = bean(new ObjectName("java.lang:type=Compilation"));
        add(compiler, "TotalCompilationTime", null, "jvm.compilation.time", MS);
        Bean memory = bean(new ObjectName("java.lang:type=Memory"));
        add(memory, "ObjectPendingFinalizationCount", null, "jvm.memory.pending_finalization", 1);
        add(memory, "HeapMemoryUsage", "committed", "jvm.memory.heap.committed", 1);
        add(memory, "HeapMemoryUsage", "used", "jvm.memory.heap.used", 1);
        add(memory, "NonHeapMemoryUsage", "committed", "jvm.memory.non_heap.committed", 1);
        add(memory, "NonHeapMemoryUsage", "used", "jvm.memory.non_heap.used", 1);
        Bean threads = bean(new ObjectName("java.lang:type=Threading"));
        add(threads, "DaemonThreadCount", null, "jvm.thread.daemon.count", 1);
        add(threads, "ThreadCount", null, "jvm.thread.count", 1);
        add(threads, "TotalStartedThreadCount", null, "jvm.thread.started", 1);
        add(threads, "TotalThreadAllocatedBytes", null, "jvm.memory.allocated", 1);
        Bean system = bean(new ObjectName("java.lang:type=OperatingSystem"));
        add(system, "ProcessCpuTime", null, "jvm.cpu.time", NS);
    }

    private void heap(List<ObjectName> collectors, List<ObjectName> pools) {
        HeapAfterCollection after = new HeapAfterCollection(columns);
        collectors.forEach(name -> after.addCollector(collector(name)));
        for (ObjectName name : pools) {
            after.addPool(pool(name), instance(name), name.equals(pools.get(pools.size() - 1)));
        }
    }

    private Bean pool(ObjectName name) {
        String pool = "[" + instance(name) + "]";
        Bean bean = bean(name);
        add(bean, "Usage", "committed", "jvm.memory.committed" + pool, 1);
        add(bean, "Usage", "used", "jvm.memory.used" + pool, 1);
        add(bean, "UsageThreshold", null, "jvm.memory.threshold" + pool, 1);
        add(bean, "UsageThresholdCount", null, "jvm.memory.threshold.crossings" + pool, 1);
        return bean;
    }

    private Bean collector(ObjectName name) {
        String collector = "[" + instance(name) + "]";
        Bean bean = bean(name);
        add(bean, "CollectionCount", null, "jvm.gc.count" + collector, 1);
        add(bean, "CollectionTime", null, "jvm.gc.time" + collector, MS);
        return bean;
    }

    private void buffers(ObjectName name) {
        String pool = "[" + instance(name) + "]";
        Bean bean = bean(name);
        add(bean, "Count", null, "jvm.buffer.count" + pool, 1);
        add(bean, "MemoryUsed", null, "jvm.buffer.memory.used" + pool, 1);
        add(bean, "TotalCapacity", null, "jvm.buffer.memory.limit" + pool, 1);
    }

    private Bean bean(ObjectName name) {
        Bean bean = new Bean(name, columns);
        beans.add(bean);
        return bean;
    }

    private void add(Bean bean, String attribute, String member, String property, double scale) {
        bean.add(attribute, new Cell.Metric(columns, columns.of(property), member, scale));
    }
}
