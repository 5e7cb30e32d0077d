package buto.probes.jmx;

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

    /** The beans of this JVM; their columns are all there from now on, whatever the values. */
    static List<Bean> beans(Set<ObjectName> names, Columns columns) throws JMException {
        Platform platform = new Platform(columns);
        platform.single();
        ofType("MemoryPool", names).forEach(platform::pool);
        ofType("GarbageCollector", names).forEach(platform::collector);
        ofType("BufferPool", names).forEach(platform::buffers);
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
        counter(classes, "TotalLoadedClassCount", "jvm.class.loaded", "{class}", 1);
        gauge(classes, "LoadedClassCount", null, "jvm.class.count", "{class}");
        counter(classes, "UnloadedClassCount", "jvm.class.unloaded", "{class}", 1);
        Bean compiler = bean(new ObjectName("java.lang:type=Compilation"));
        counter(compiler, "TotalCompilationTime", "jvm.compilation.time", "s", MS);
        Bean memory = bean(new ObjectName("java.lang:type=Memory"));
        gauge(memory, "ObjectPendingFinalizationCount", null, "jvm.memory.pending_finalization", "{object}");
        gauge(memory, "HeapMemoryUsage", "committed", "jvm.memory.heap.committed", "By");
        gauge(memory, "HeapMemoryUsage", "used", "jvm.memory.heap.used", "By");
        gauge(memory, "NonHeapMemoryUsage", "committed", "jvm.memory.non_heap.committed", "By");
        gauge(memory, "NonHeapMemoryUsage", "used", "jvm.memory.non_heap.used", "By");
        Bean threads = bean(new ObjectName("java.lang:type=Threading"));
        gauge(threads, "DaemonThreadCount", null, "jvm.thread.daemon.count", "{thread}");
        gauge(threads, "ThreadCount", null, "jvm.thread.count", "{thread}");
        counter(threads, "TotalStartedThreadCount", "jvm.thread.started", "{thread}", 1);
        Bean system = bean(new ObjectName("java.lang:type=OperatingSystem"));
        counter(system, "ProcessCpuTime", "jvm.cpu.time", "s", NS);
    }

    private void pool(ObjectName name) {
        String pool = "[" + instance(name) + "]";
        Bean bean = bean(name);
        gauge(bean, "Usage", "committed", "jvm.memory.committed" + pool, "By");
        gauge(bean, "Usage", "used", "jvm.memory.used" + pool, "By");
        gauge(bean, "UsageThreshold", null, "jvm.memory.threshold" + pool, "By");
        counter(bean, "UsageThresholdCount", "jvm.memory.threshold.crossings" + pool, "{crossing}", 1);
    }

    private void collector(ObjectName name) {
        String collector = "[" + instance(name) + "]";
        Bean bean = bean(name);
        counter(bean, "CollectionCount", "jvm.gc.count" + collector, "{collection}", 1);
        counter(bean, "CollectionTime", "jvm.gc.time" + collector, "s", MS);
    }

    private void buffers(ObjectName name) {
        String pool = "[" + instance(name) + "]";
        Bean bean = bean(name);
        gauge(bean, "Count", null, "jvm.buffer.count" + pool, "{buffer}");
        gauge(bean, "MemoryUsed", null, "jvm.buffer.memory.used" + pool, "By");
        gauge(bean, "TotalCapacity", null, "jvm.buffer.memory.limit" + pool, "By");
    }

    private Bean bean(ObjectName name) {
        Bean bean = new Bean(name, columns);
        beans.add(bean);
        return bean;
    }

    private void gauge(Bean bean, String attribute, String member, String property, String unit) {
        int column = columns.of(property, unit, Columns.GAUGE);
        bean.add(attribute, new Cell.Metric(columns, column, member, 1));
    }

    private void counter(Bean bean, String attribute, String property, String unit, double scale) {
        int column = columns.of(property, unit, Columns.COUNTER);
        bean.add(attribute, new Cell.Metric(columns, column, null, scale));
    }
}
