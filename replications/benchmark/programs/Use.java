import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.nio.file.Files;
import java.nio.file.Path;

/** Prints what the program has used so far, by the JVM's own counters, as one line of names and numbers. */
final class Use {
    private Use() {}

    /**
     * Prints the use of the whole process. Allocated bytes are those of the threads that still live.
     *
     * @param held what the program still holds: it counts as used heap
     */
    static void print(Object... held) throws IOException {
        long wall = ManagementFactory.getRuntimeMXBean().getUptime();
        var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long cpu = system.getProcessCpuTime();
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = 0;
        for (long bytes : threads.getThreadAllocatedBytes(threads.getAllThreadIds())) {
            allocated += Math.max(bytes, 0);
        }
        // Counted before a collection, after which what has leaked may be closed.
        int living = threads.getThreadCount();
        long descriptors = ((UnixOperatingSystemMXBean) system).getOpenFileDescriptorCount();
        System.gc();
        System.gc();
        var runtime = Runtime.getRuntime();
        long heap = runtime.totalMemory() - runtime.freeMemory();
        System.out.printf(
                "use wall_s=%.3f cpu_s=%.3f allocated_mb=%.2f heap_mb=%.3f"
                        + " threads=%d classes=%d descriptors=%d rss_mb=%.1f%n",
                wall / 1e3,
                cpu / 1e9,
                allocated / 1e6,
                heap / 1e6,
                living,
                ManagementFactory.getClassLoadingMXBean().getLoadedClassCount(),
                descriptors,
                residentKilobytes() / 1e3);
        Reference.reachabilityFence(held);
    }

    private static long residentKilobytes() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        throw new IOException("/proc/self/status must have a line VmRSS");
    }
}
