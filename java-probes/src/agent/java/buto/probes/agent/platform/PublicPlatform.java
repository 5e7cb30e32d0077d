package buto.probes.agent.platform;

import java.lang.management.ClassLoadingMXBean;
import java.lang.management.CompilationMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.RuntimeMXBean;
import java.lang.management.ThreadMXBean;
import java.util.List;

/** Uses the public API, which works in any JDK, but makes it look for all platform beans. */
final class PublicPlatform implements Platform {
    private final RuntimeMXBean runtime = ManagementFactory.getRuntimeMXBean();
    private final ClassLoadingMXBean classes = ManagementFactory.getClassLoadingMXBean();
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final CompilationMXBean compilation = ManagementFactory.getCompilationMXBean();
    private final boolean timesCompilation =
            compilation != null && compilation.isCompilationTimeMonitoringSupported();

    @Override
    public long startTime() {
        return runtime.getStartTime();
    }

    @Override
    public long uptime() {
        return runtime.getUptime();
    }

    @Override
    public List<String> inputArguments() {
        return runtime.getInputArguments();
    }

    @Override
    public String managementVersion() {
        return runtime.getManagementSpecVersion();
    }

    @Override
    public String bootClassPath() {
        return runtime.isBootClassPathSupported() ? runtime.getBootClassPath() : null;
    }

    @Override
    public long loadedClasses() {
        return classes.getTotalLoadedClassCount();
    }

    @Override
    public long unloadedClasses() {
        return classes.getUnloadedClassCount();
    }

    @Override
    public int daemonThreads() {
        return threads.getDaemonThreadCount();
    }

    @Override
    public int liveThreads() {
        return threads.getThreadCount();
    }

    @Override
    public long startedThreads() {
        return threads.getTotalStartedThreadCount();
    }

    @Override
    public String compiler() {
        return compilation == null ? null : compilation.getName();
    }

    @Override
    public long compilationTime() {
        return timesCompilation ? compilation.getTotalCompilationTime() : -1;
    }

    @Override
    public ThreadMXBean threads() {
        return threads;
    }

    /** Not in the API of Java 8, for which this is compiled. */
    @Override
    public long allocatedBytes() {
        throw new NoSuchMethodError("getTotalThreadAllocatedBytes");
    }

    @Override
    public MemoryMXBean memory() {
        return ManagementFactory.getMemoryMXBean();
    }

    @Override
    public List<MemoryPoolMXBean> pools() {
        return ManagementFactory.getMemoryPoolMXBeans();
    }

    @Override
    public List<GarbageCollectorMXBean> collectors() {
        return ManagementFactory.getGarbageCollectorMXBeans();
    }

    @Override
    public BufferPools bufferPools() {
        return new PublicBufferPools(System.getProperty("java.specification.version"));
    }
}
