package buto.probes.agent;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;

/** The number of this process, which Java 8 tells only in a roundabout way. */
final class ProcessId {
    private ProcessId() {}

    /** From /proc, since the JVM's own name asks for the name of the host, which may take seconds. */
    static long get() {
        try {
            return Long.parseLong(new File("/proc/self").getCanonicalFile().getName());
        } catch (IOException noProc) {
            return fromName();
        } catch (NumberFormatException noProc) {
            return fromName();
        }
    }

    private static long fromName() {
        String name = ManagementFactory.getRuntimeMXBean().getName();
        return Long.parseLong(name.substring(0, name.indexOf('@')));
    }
}
