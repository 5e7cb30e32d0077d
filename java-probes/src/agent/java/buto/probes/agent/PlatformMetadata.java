package buto.probes.agent;

import java.lang.management.CompilationMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.RuntimeMXBean;
import java.util.List;
import java.util.Properties;

/** What stays the same while a JVM runs; see docs/formats/metadata.md for the keys. */
final class PlatformMetadata {
    private PlatformMetadata() {}

    /**
     * Adds all of it.
     *
     * @param sessionFile tells this agent's own option from the others, to leave it out
     */
    static void collect(Metadata metadata, String sessionFile) {
        RuntimeMXBean runtime = ManagementFactory.getRuntimeMXBean();
        metadata.put("process.pid", Long.valueOf(ProcessId.get()));
        metadata.put("jvm.spec.name", runtime.getSpecName());
        metadata.put("jvm.spec.vendor", runtime.getSpecVendor());
        metadata.put("jvm.spec.version", runtime.getSpecVersion());
        metadata.put("jvm.vm.name", runtime.getVmName());
        metadata.put("jvm.vm.vendor", runtime.getVmVendor());
        metadata.put("jvm.vm.version", runtime.getVmVersion());
        metadata.put("jvm.management.spec.version", runtime.getManagementSpecVersion());
        metadata.put("jvm.class.path", runtime.getClassPath());
        metadata.put("jvm.library.path", runtime.getLibraryPath());
        if (runtime.isBootClassPathSupported()) {
            metadata.put("jvm.boot.class.path", runtime.getBootClassPath());
        }
        metadata.put("jvm.input.arguments", inputArguments(runtime, sessionFile));
        metadata.put("jvm.start.time", Long.valueOf(runtime.getStartTime()));
        metadata.put("jvm.uptime", Long.valueOf(runtime.getUptime()));
        system(metadata);
        memory(metadata);
    }

    private static String inputArguments(RuntimeMXBean runtime, String sessionFile) {
        StringBuilder joined = new StringBuilder();
        for (String argument : runtime.getInputArguments()) {
            if (!argument.startsWith("-javaagent:") || !argument.endsWith("=" + sessionFile)) {
                joined.append(joined.length() == 0 ? "" : " ").append(argument);
            }
        }
        return joined.toString();
    }

    private static void system(Metadata metadata) {
        metadata.put("system.processors", Integer.valueOf(Runtime.getRuntime().availableProcessors()));
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        metadata.put("system.load.average", load < 0 ? null : Double.valueOf(load));
        CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
        metadata.put("jvm.jit.name", compiler == null ? null : compiler.getName());
        Properties properties = System.getProperties();
        for (String key : properties.stringPropertyNames()) {
            metadata.put("system.property[" + key + "]", properties.getProperty(key));
        }
    }

    private static void memory(Metadata metadata) {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        putSize(metadata, "jvm.memory.heap.initial", memory.getHeapMemoryUsage().getInit());
        putSize(metadata, "jvm.memory.heap.max", memory.getHeapMemoryUsage().getMax());
        putSize(metadata, "jvm.memory.non_heap.initial", memory.getNonHeapMemoryUsage().getInit());
        putSize(metadata, "jvm.memory.non_heap.max", memory.getNonHeapMemoryUsage().getMax());
        StringBuilder pools = new StringBuilder();
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            String key = "jvm.memory.pool[" + pool.getName() + "]";
            metadata.put(key + ".type", pool.getType());
            metadata.put(key + ".managers", joined(pool.getMemoryManagerNames()));
            pools.append(pools.length() == 0 ? "" : ", ").append(pool.getName());
        }
        metadata.put("jvm.memory.pools", pools);
        StringBuilder collectors = new StringBuilder();
        List<GarbageCollectorMXBean> beans = ManagementFactory.getGarbageCollectorMXBeans();
        for (GarbageCollectorMXBean collector : beans) {
            collectors.append(collectors.length() == 0 ? "" : ", ").append(collector.getName());
        }
        metadata.put("jvm.gc.collectors", collectors);
    }

    private static void putSize(Metadata metadata, String key, long bytes) {
        metadata.put(key, bytes < 0 ? null : Long.valueOf(bytes));
    }

    private static String joined(String[] names) {
        StringBuilder joined = new StringBuilder();
        for (String name : names) {
            joined.append(joined.length() == 0 ? "" : ", ").append(name);
        }
        return joined.toString();
    }
}
