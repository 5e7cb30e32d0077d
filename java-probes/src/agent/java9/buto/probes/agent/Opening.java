package buto.probes.agent;

import com.sun.management.ThreadMXBean;
import java.lang.instrument.Instrumentation;
import java.lang.management.MemoryUsage;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Lets the agent use what the JDK's modules do not export. Java 8 does not load it. The agent shares its unnamed
 * module with the program's class path: what would change how libraries behave must stay shut, above all
 * jdk.internal.misc.
 */
final class Opening {
    private Opening() {}

    /** Opens what {@link DirectPlatform} and {@link Channel} use. */
    static void open(Instrumentation instrumentation) {
        export(instrumentation, Object.class.getModule(), "sun.nio.ch");
        export(instrumentation, MemoryUsage.class.getModule(), "sun.management");
        export(instrumentation, ThreadMXBean.class.getModule(), "com.sun.management.internal");
    }

    private static void export(Instrumentation instrumentation, Module module, String... packages) {
        HashSet<Module> agent = new HashSet<>();
        agent.add(Opening.class.getModule());
        HashMap<String, Set<Module>> exports = new HashMap<>();
        for (String each : packages) {
            exports.put(each, agent);
        }
        instrumentation.redefineModule(
                module,
                new HashSet<Module>(),
                exports,
                new HashMap<String, Set<Module>>(),
                new HashSet<Class<?>>(),
                new HashMap<Class<?>, List<Class<?>>>());
    }
}
