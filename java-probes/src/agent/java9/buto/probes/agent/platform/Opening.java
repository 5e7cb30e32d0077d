package buto.probes.agent.platform;

import com.sun.management.ThreadMXBean;
import java.lang.instrument.Instrumentation;
import java.lang.management.MemoryUsage;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Lets the agent use what the JDK's modules do not export. Java 8 does not load it. It is opened for the agent's own
 * module, so that a program that tries the same is refused as without the agent.
 */
final class Opening {
    private static final String COMMANDS = "com.sun.management.internal";
    private static final HashMap<String, Set<Module>> NOTHING = new HashMap<>();

    private Opening() {}

    /** Opens what {@link DirectPlatform} and {@link DirectBufferPools} use. */
    static void open(Instrumentation instrumentation) {
        Module base = Object.class.getModule();
        redefine(instrumentation, base, toAgent("jdk.internal.access", "jdk.internal.misc", "sun.nio.ch"), NOTHING);
        redefine(instrumentation, MemoryUsage.class.getModule(), toAgent("sun.management"), NOTHING);
        redefine(instrumentation, ThreadMXBean.class.getModule(), toAgent(COMMANDS), NOTHING);
    }

    /** Opens what {@link LiveThreads} uses. */
    static void openThreads(Instrumentation instrumentation) {
        redefine(instrumentation, Object.class.getModule(), toAgent("jdk.internal.vm"), NOTHING);
    }

    /** Opens what {@link Diagnostics} uses, whose class is not public. */
    static void openCommands(Instrumentation instrumentation) {
        redefine(instrumentation, ThreadMXBean.class.getModule(), NOTHING, toAgent(COMMANDS));
    }

    private static HashMap<String, Set<Module>> toAgent(String... names) {
        HashSet<Module> agent = new HashSet<>();
        agent.add(Opening.class.getModule());
        HashMap<String, Set<Module>> packages = new HashMap<>();
        for (String name : names) {
            packages.put(name, agent);
        }
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
