import com.sun.management.ThreadMXBean;
import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.ThreadInfo;
import java.lang.ref.Reference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Prints what the program has used so far, by the counters of the JVM and the kernel, as one line of names and numbers. */
final class Use {
    private static long readyAfterMillis;
    private static long readyAfterCpuNanos;

    private Use() {}

    /** Marks the end of the start: what came before is printed as {@code start_s} and {@code start_cpu_s}. */
    static void ready() {
        readyAfterMillis = ManagementFactory.getRuntimeMXBean().getUptime();
        readyAfterCpuNanos = system().getProcessCpuTime();
    }

    /**
     * Prints the use of the whole process. Before Java 21, allocated bytes are those of the threads that still live;
     * blocked and waited are always theirs.
     *
     * @param held what the program still holds: it counts as used heap
     */
    static void print(Object... held) throws Exception {
        long wall = ManagementFactory.getRuntimeMXBean().getUptime();
        long cpu = system().getProcessCpuTime();
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = allocated(threads);
        long blocked = 0;
        long waited = 0;
        for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
            blocked += thread == null ? 0 : thread.getBlockedCount();
            waited += thread == null ? 0 : thread.getWaitedCount();
        }
        long read = fromKernel("io", "rchar:");
        long written = fromKernel("io", "wchar:");
        long calls = fromKernel("io", "syscr:") + fromKernel("io", "syscw:");
        // Counted before a collection, after which what has leaked may be closed.
        int living = threads.getThreadCount();
        long descriptors = system().getOpenFileDescriptorCount();
        long direct = direct();
        System.gc();
        System.gc();
        var runtime = Runtime.getRuntime();
        long heap = runtime.totalMemory() - runtime.freeMemory();
        System.out.printf(
                Locale.ROOT,
                "use wall_s=%.3f cpu_s=%.3f start_s=%.3f start_cpu_s=%.3f allocated_mb=%.3f heap_mb=%.3f"
                        + " direct_mb=%.3f metaspace_mb=%.3f rss_mb=%.1f threads=%d started=%d classes=%d"
                        + " descriptors=%d blocked=%d waited=%d read_mb=%.3f written_mb=%.3f calls=%d%n",
                wall / 1e3,
                cpu / 1e9,
                readyAfterMillis / 1e3,
                readyAfterCpuNanos / 1e9,
                allocated / 1e6,
                heap / 1e6,
                direct / 1e6,
                metaspace() / 1e6,
                fromKernel("status", "VmRSS:") / 1e3,
                living,
                threads.getTotalStartedThreadCount(),
                ManagementFactory.getClassLoadingMXBean().getLoadedClassCount(),
                descriptors,
                blocked,
                waited,
                read / 1e6,
                written / 1e6,
                calls);
        Reference.reachabilityFence(held);
    }

    private static UnixOperatingSystemMXBean system() {
        return (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    }

    private static long allocated(ThreadMXBean threads) throws Exception {
        try {
            return (long) ThreadMXBean.class.getMethod("getTotalThreadAllocatedBytes").invoke(threads);
        } catch (NoSuchMethodException olderThanJava21) {
            long allocated = 0;
            for (long bytes : threads.getThreadAllocatedBytes(threads.getAllThreadIds())) {
                allocated += Math.max(bytes, 0);
            }
            return allocated;
        }
    }

    private static long direct() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }

    private static long metaspace() {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getName().equals("Metaspace"))
                .mapToLong(pool -> pool.getUsage().getUsed())
                .sum();
    }

    private static long fromKernel(String file, String field) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self", file))) {
            if (line.startsWith(field)) {
                return Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        throw new IOException("/proc/self/" + file + " must have a line " + field);
    }
}
