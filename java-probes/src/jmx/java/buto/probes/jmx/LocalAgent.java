package buto.probes.jmx;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/**
 * Starts the JMX agent of a JVM of this machine through the Attach API, by reflection: Java 8 has that
 * API in another jar, and some runtimes have it not at all.
 */
public final class LocalAgent {
    private LocalAgent() {}

    /** The JMX service address of the process. */
    public static String start(long pid, long withinMs) throws Exception {
        Class<?> machines = Class.forName("com.sun.tools.attach.VirtualMachine");
        Method detach = machines.getMethod("detach");
        return Bounded.call("attaching to process " + pid, withinMs, () -> {
            Object machine = call(machines.getMethod("attach", String.class), null, Long.toString(pid));
            try {
                return (String) call(machines.getMethod("startLocalManagementAgent"), machine);
            } finally {
                call(detach, machine);
            }
        }, unused -> { });
    }

    private static Object call(Method method, Object on, Object... arguments) throws Exception {
        try {
            return method.invoke(on, arguments);
        } catch (InvocationTargetException failed) {
            if (failed.getCause() instanceof Exception) {
                throw (Exception) failed.getCause();
            }
            throw failed;
        }
    }
}
