package buto.probes.agent.platform;

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
    private static final String COMMANDS = "com.sun.management.internal";

    private Opening() {}

    /** Opens what {@link DirectPlatform} and the channel use. */
    static void open(Instrumentation instrumentation) {
        export(instrumentation, Object.class.getModule(), "sun.nio.ch");
        export(instrumentation, MemoryUsage.class.getModule(), "sun.management");
        export(instrumentation, ThreadMXBean.class.getModule(), COMMANDS);
    }

    /** Opens what {@link Diagnostics} uses, whose class is not public. */
    static void openCommands(Instrumentation instrumentation) {
        redefine(instrumentation, ThreadMXBean.class.getModule(), new HashMap<String, Set<Module>>(), toAgent(COMMANDS));
    }

    private static void export(Instrumentation instrumentation, Module module, String exported) {
        redefine(instrumentation, module, toAgent(exported), new HashMap<String, Set<Module>>());
    }

    private static HashMap<String, Set<Module>> toAgent(String name) {
        HashSet<Module> agent = new HashSet<>();
        agent.add(Opening.class.getModule());
        HashMap<String, Set<Module>> packages = new HashMap<>();
        packages.put(name, agent);
        return packages;
    }

    private static void redefine(
            Instrumentation instrumentation,
            Module module,
            HashMap<String, Set<Module>> exports,
            HashMap<String, Set<Module>> opens) {
        instrumentation.redefineModule(
                module,
                new HashSet<Module>(),
                exports,
                opens,
                new HashSet<Class<?>>(),
                new HashMap<Class<?>, List<Class<?>>>());
    }
}
