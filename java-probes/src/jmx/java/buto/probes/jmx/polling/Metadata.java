package buto.probes.jmx.polling;

import java.io.IOException;
import java.lang.management.MemoryType;
import java.lang.reflect.Array;
import java.rmi.MarshalException;
import java.rmi.UnmarshalException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.management.Attribute;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.ReflectionException;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;

/** What stays the same while a JVM runs: Table 3.7 of the thesis; keys in docs/formats/metadata.md. */
final class Metadata {
    private final MBeanServerConnection server;
    private final Map<String, String> entries = new LinkedHashMap<>();

    private Metadata(MBeanServerConnection server) {
        this.server = server;
    }

    /** All metadata of this JVM; a value that it does not know is left out. */
    static Frame frame(MBeanServerConnection server, Set<ObjectName> platform) throws IOException, JMException {
        Metadata metadata = new Metadata(server);
        metadata.runtime();
        metadata.system();
        metadata.memory(platform);
        return metadata.frame();
    }

    private void runtime() throws IOException, JMException {
        Map<String, Object> runtime = read("java.lang:type=Runtime", "Name", "SpecName", "SpecVendor", "SpecVersion",
                "VmName", "VmVendor", "VmVersion", "ManagementSpecVersion", "ClassPath", "LibraryPath",
                "BootClassPath", "InputArguments", "StartTime", "Uptime", "SystemProperties");
        String process = String.valueOf(runtime.get("Name"));
        if (process.matches("\\d+@.*")) {
            put("process.pid", process.substring(0, process.indexOf('@')));
        }
        put("jvm.spec.name", runtime.get("SpecName"));
        put("jvm.spec.vendor", runtime.get("SpecVendor"));
        put("jvm.spec.version", runtime.get("SpecVersion"));
        put("jvm.vm.name", runtime.get("VmName"));
        put("jvm.vm.vendor", runtime.get("VmVendor"));
        put("jvm.vm.version", runtime.get("VmVersion"));
        put("jvm.management.spec.version", runtime.get("ManagementSpecVersion"));
        put("jvm.class.path", runtime.get("ClassPath"));
        put("jvm.library.path", runtime.get("LibraryPath"));
        put("jvm.boot.class.path", runtime.get("BootClassPath"));
        put("jvm.input.arguments", joined(runtime.get("InputArguments"), " "));
        put("jvm.start.time", runtime.get("StartTime"));
        put("jvm.uptime", runtime.get("Uptime"));
        if (runtime.get("SystemProperties") instanceof TabularData) {
            for (Object row : ((TabularData) runtime.get("SystemProperties")).values()) {
                CompositeData entry = (CompositeData) row;
                put("system.property[" + entry.get("key") + "]", entry.get("value"));
            }
        }
    }

    private void system() throws IOException, JMException {
        Map<String, Object> system = read("java.lang:type=OperatingSystem", "AvailableProcessors", "SystemLoadAverage");
        put("system.processors", system.get("AvailableProcessors"));
        putIfDefined("system.load.average", system.get("SystemLoadAverage"));
        put("jvm.jit.name", read("java.lang:type=Compilation", "Name").get("Name"));
    }

    private void memory(Set<ObjectName> platform) throws IOException, JMException {
        Map<String, Object> memory = read("java.lang:type=Memory", "HeapMemoryUsage", "NonHeapMemoryUsage");
        sizes("jvm.memory.heap", memory.get("HeapMemoryUsage"));
        sizes("jvm.memory.non_heap", memory.get("NonHeapMemoryUsage"));
        List<String> pools = new ArrayList<>();
        for (ObjectName bean : Platform.ofType("MemoryPool", platform)) {
            String name = Platform.instance(bean);
            Map<String, Object> pool = read(bean.toString(), "Type", "MemoryManagerNames");
            if (pool.get("Type") != null) {
                put("jvm.memory.pool[" + name + "].type", MemoryType.valueOf((String) pool.get("Type")));
            }
            put("jvm.memory.pool[" + name + "].managers", joined(pool.get("MemoryManagerNames"), ", "));
            pools.add(name);
        }
        Collections.sort(pools);
        put("jvm.memory.pools", String.join(", ", pools));
        List<String> collectors = new ArrayList<>();
        for (ObjectName bean : Platform.ofType("GarbageCollector", platform)) {
            collectors.add(Platform.instance(bean));
        }
        Collections.sort(collectors);
        put("jvm.gc.collectors", String.join(", ", collectors));
    }

    private void sizes(String key, Object usage) {
        if (usage instanceof CompositeData) {
            putIfDefined(key + ".initial", ((CompositeData) usage).get("init"));
            putIfDefined(key + ".max", ((CompositeData) usage).get("max"));
        }
    }

    private void putIfDefined(String key, Object number) {
        put(key, number instanceof Number && ((Number) number).doubleValue() >= 0 ? number : null);
    }

    private void put(String key, Object value) {
        if (value != null) {
            entries.put(key, value.toString());
        }
    }

    /** Attributes of a platform MBean by name, without those that this JVM does not have or does not give. */
    private Map<String, Object> read(String bean, String... attributes) throws IOException, JMException {
        Map<String, Object> values = new HashMap<>();
        try {
            for (Attribute answer : server.getAttributes(new ObjectName(bean), attributes).asList()) {
                values.put(answer.getName(), answer.getValue());
            }
        } catch (InstanceNotFoundException | ReflectionException | RuntimeException absent) {
            values.clear();
        }
        return values;
    }

    /** An attribute of a custom MBean; if it cannot be read, the reason. */
    static Frame frame(MBeanServerConnection server, ObjectName bean, String attribute, String key)
            throws IOException {
        Metadata metadata = new Metadata(server);
        try {
            metadata.putMembers(key, server.getAttribute(bean, attribute));
        } catch (JMException | RuntimeException | MarshalException | UnmarshalException failure) {
            metadata.put(key, "unreadable: " + Bean.describe(failure));
        }
        return metadata.frame();
    }

    private void putMembers(String key, Object value) {
        if (value instanceof CompositeData) {
            CompositeData data = (CompositeData) value;
            data.getCompositeType().keySet().forEach(member -> putMembers(key + "." + member, data.get(member)));
        } else {
            String joined = joined(value, ", ");
            put(key, joined == null ? String.valueOf(value) : joined);
        }
    }

    private Frame frame() {
        Frame frame = new Frame(Frame.METADATA).u32(entries.size());
        entries.forEach((key, value) -> frame.text(key).text(value));
        return frame;
    }

    /** The items of an array or collection; null for anything else. */
    private static String joined(Object values, String separator) {
        List<String> texts = new ArrayList<>();
        if (values instanceof Collection) {
            ((Collection<?>) values).forEach(value -> texts.add(String.valueOf(value)));
        } else if (values == null || !values.getClass().isArray()) {
            return null;
        } else {
            for (int i = 0; i < Array.getLength(values); i++) {
                texts.add(String.valueOf(Array.get(values, i)));
            }
        }
        return String.join(separator, texts);
    }
}
