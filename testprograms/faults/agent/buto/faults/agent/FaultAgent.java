package buto.faults.agent;

import java.io.File;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.util.List;
import java.util.jar.JarFile;

/**
 * Weaves faults into methods: {@code -javaagent:faults-agent.jar=FAULT[;FAULT ...]}.
 *
 * <p>A fault is {@code NAME=KIND:AMOUNT@CLASS#METHOD}, for instance {@code cpu=burn:2000000@shop.Orders#total}. With
 * {@code on} behind it ({@code ...#total:on}) it is active from the start. It is switched on and off by the attribute
 * {@code Active} of the MBean {@code buto.faults:name=NAME}.
 */
public final class FaultAgent {
    private static final String RUNTIME = "faults-runtime.jar";

    private FaultAgent() {
    }

    public static void premain(String arguments, Instrumentation instrumentation) throws Exception {
        addRuntime(instrumentation);
        List<Specification> faults = Specification.parse(arguments == null ? "" : arguments);
        // In a class of its own, since it needs the runtime, which is found only now.
        Weaving.weave(faults, instrumentation);
    }

    private static void addRuntime(Instrumentation instrumentation) throws IOException {
        String own = FaultAgent.class.getProtectionDomain().getCodeSource().getLocation().getPath();
        File runtime = new File(new File(own).getParentFile(), RUNTIME);
        instrumentation.appendToBootstrapClassLoaderSearch(new JarFile(runtime));
    }
}
