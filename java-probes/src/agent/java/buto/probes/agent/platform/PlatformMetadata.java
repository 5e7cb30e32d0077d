package buto.probes.agent.platform;

import buto.probes.agent.channel.Metadata;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryPoolMXBean;
import java.util.Enumeration;
import java.util.List;
import java.util.Properties;

/** What stays the same while a JVM runs; see docs/formats/metadata.md for the keys. */
public final class PlatformMetadata {
    private PlatformMetadata() {}

    /**
     * Adds all platform metadata.
     *
     * @param platform the source
     * @param sessionFile identifies this agent's own option, which is left out
     */
    public static void collect(Metadata metadata, Platform platform, long processId, String sessionFile) {
        metadata.put("process.pid", Long.valueOf(processId));
        property(metadata, "jvm.spec.name", "java.vm.specification.name");
        property(metadata, "jvm.spec.vendor", "java.vm.specification.vendor");
        property(metadata, "jvm.spec.version", "java.vm.specification.version");
        property(metadata, "jvm.vm.name", "java.vm.name");
        property(metadata, "jvm.vm.vendor", "java.vm.vendor");
        property(metadata, "jvm.vm.version", "java.vm.version");
        property(metadata, "jvm.class.path", "java.class.path");
        property(metadata, "jvm.library.path", "java.library.path");
        metadata.put("jvm.management.spec.version", platform.managementVersion());
        metadata.put("jvm.boot.class.path", platform.bootClassPath());
        metadata.put("jvm.input.arguments", inputArguments(platform.inputArguments(), sessionFile));
        metadata.put("jvm.start.time", Long.valueOf(platform.startTime()));
        metadata.put("jvm.uptime", Long.valueOf(platform.uptime()));
        system(metadata, platform);
        memory(metadata, platform);
    }

    private static String inputArguments(List<String> arguments, String sessionFile) {
        StringBuilder joined = new StringBuilder();
        for (int i = 0; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            if (!isOwn(argument) || !argument.endsWith("=" + sessionFile)) {
                joined.append(joined.length() == 0 ? "" : " ").append(argument);
            }
        }
        return joined.toString();
    }

    /** The JVM's own beans read these properties too. */
    private static void property(Metadata metadata, String key, String property) {
        metadata.put(key, System.getProperty(property));
    }

    private static boolean isOwn(String argument) {
        return argument.startsWith("-javaagent:") || argument.startsWith("-agentlib:instrument=");
    }

    private static void system(Metadata metadata, Platform platform) {
        metadata.put("system.processors", Integer.valueOf(Runtime.getRuntime().availableProcessors()));
        metadata.put("system.load.average", Proc.loadAverage());
        metadata.put("jvm.jit.name", platform.compiler());
        Properties properties = System.getProperties();
        for (Enumeration<Object> keys = properties.keys(); keys.hasMoreElements(); ) {
            Object key = keys.nextElement();
            if (key instanceof String) {
                metadata.put("system.property[" + key + "]", properties.getProperty((String) key));
            }
        }
    }

    private static void memory(Metadata metadata, Platform platform) {
        MemoryMXBean memory = platform.memory();
        putSize(metadata, "jvm.memory.heap.initial", memory.getHeapMemoryUsage().getInit());
        putSize(metadata, "jvm.memory.heap.max", memory.getHeapMemoryUsage().getMax());
        putSize(metadata, "jvm.memory.non_heap.initial", memory.getNonHeapMemoryUsage().getInit());
        putSize(metadata, "jvm.memory.non_heap.max", memory.getNonHeapMemoryUsage().getMax());
        List<MemoryPoolMXBean> pools = platform.pools();
        String[] poolNames = new String[pools.size()];
        for (int i = 0; i < poolNames.length; i++) {
            MemoryPoolMXBean pool = pools.get(i);
            String key = "jvm.memory.pool[" + pool.getName() + "]";
            metadata.put(key + ".type", pool.getType());
            metadata.put(key + ".managers", joined(pool.getMemoryManagerNames()));
            poolNames[i] = pool.getName();
        }
        metadata.put("jvm.memory.pools", joined(inOrder(poolNames)));
        List<GarbageCollectorMXBean> collectors = platform.collectors();
        String[] collectorNames = new String[collectors.size()];
        for (int i = 0; i < collectorNames.length; i++) {
            collectorNames[i] = collectors.get(i).getName();
        }
        metadata.put("jvm.gc.collectors", joined(inOrder(collectorNames)));
    }

    /** Sorts a few names in place, without loading a class: each way to the beans has its own order. */
    private static String[] inOrder(String[] names) {
        for (int i = 1; i < names.length; i++) {
            String name = names[i];
            int place = i;
            for (; place > 0 && names[place - 1].compareTo(name) > 0; place--) {
                names[place] = names[place - 1];
            }
            names[place] = name;
        }
        return names;
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
