package buto.probes.agent;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** What com.sun.management adds to the platform's beans; absent from some JVMs. */
final class SunBeans {
    static final String MISSING = "this JVM has no com.sun.management";

    private final OperatingSystemMXBean system =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private SunBeans() {}

    /** The beans, or null where there are none. */
    static SunBeans find() {
        try {
            return new SunBeans();
        } catch (LinkageError noModule) {
            return null;
        } catch (ClassCastException otherVendor) {
            return null;
        }
    }

    /** Processor time of the process in nanoseconds, or -1. */
    long processCpuNanos() {
        return system.getProcessCpuTime();
    }

    /** Bytes that a thread has allocated since its start, or -1. */
    long allocatedBytes(long thread) {
        return threads.getThreadAllocatedBytes(thread);
    }
}
