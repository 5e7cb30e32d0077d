package measure;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;

/** Runs a version of a program and prints what it used, for {@code python -m beds.unseen verify}. */
public final class Main {
    public static void main(String[] args) throws Throwable {
        long start = System.nanoTime();
        try {
            Class.forName(args[0] + ".Main").getMethod("main", String[].class).invoke(null, (Object) new String[] {args[1]});
        } catch (InvocationTargetException error) {
            throw error.getCause();
        }
        double wall = (System.nanoTime() - start) / 1e9;
        double cpu = bean("OperatingSystem", "ProcessCpuTime") / 1e9;
        double allocation = bean("Threading", "TotalThreadAllocatedBytes") / 1024 / 1024;
        double threads = bean("Threading", "ThreadCount");
        double classes = bean("ClassLoading", "TotalLoadedClassCount");
        long io = writes();
        long locks = contended();
        long descriptors;
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            descriptors = open.count() - 1;
        }
        double direct = 0;
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            direct += pool.getMemoryUsed() / 1024.0;
        }
        System.gc();
        System.gc();
        double heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1024.0;
        String names = "use wall=%.3f cpu=%.3f heap=%.1f allocation=%.2f threads=%.0f classes=%.0f descriptors=%d native=%.1f locks=%d io=%d%n";
        System.out.printf(names, wall, cpu, heap, allocation, threads, classes, descriptors, direct, locks, io);
    }

    private static double bean(String name, String attribute) throws JMException {
        Object value = ManagementFactory.getPlatformMBeanServer().getAttribute(new ObjectName("java.lang:type=" + name), attribute);
        return ((Number) value).doubleValue();
    }

    private static long writes() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/io"))) {
            return lines.filter(line -> line.startsWith("syscw: ")).mapToLong(line -> Long.parseLong(line.substring(7))).sum();
        }
    }

    /** Return how often a thread had to wait for a lock; needs the packages of OPENED in verify.py. */
    private static long contended() throws ReflectiveOperationException {
        Object runtime = Class.forName("sun.management.ManagementFactoryHelper").getMethod("getHotspotRuntimeMBean").invoke(null);
        Method counters = runtime.getClass().getMethod("getInternalRuntimeCounters");
        counters.setAccessible(true);
        for (Object counter : (List<?>) counters.invoke(runtime)) {
            Method name = counter.getClass().getMethod("getName");
            Method value = counter.getClass().getMethod("getValue");
            name.setAccessible(true);
            value.setAccessible(true);
            if ("sun.rt._sync_ContendedLockAttempts".equals(name.invoke(counter))) {
                return ((Number) value.invoke(counter)).longValue();
            }
        }
        return 0;
    }
}
