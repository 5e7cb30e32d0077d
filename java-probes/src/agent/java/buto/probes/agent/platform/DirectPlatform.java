package buto.probes.agent.platform;

import com.sun.management.internal.HotSpotThreadImpl;
import java.lang.instrument.Instrumentation;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.ThreadMXBean;
import java.util.List;
import sun.management.ManagementFactoryHelper;
import sun.management.VMManagement;

/** Uses the JDK's internal classes, from Java 9 on: loads half as many classes as the public way. */
public final class DirectPlatform implements Platform {
    private final VMManagement machine = ManagementFactoryHelper.getVMManagement();
    private final HotSpotThreadImpl threads = new HotSpotThreadImpl(machine);
    private final boolean timesCompilation =
            machine.getCompilerName() != null && machine.isCompilationTimeMonitoringSupported();

    private DirectPlatform() {}

    /** Returns the direct way if this JDK allows it, else the public one. */
    public static Platform orPublic(Instrumentation instrumentation) {
        try {
            Opening.open(instrumentation);
            return new DirectPlatform();
        } catch (LinkageError otherJdk) {
            return new PublicPlatform();
        } catch (RuntimeException notOpened) {
            return new PublicPlatform();
        }
    }

    @Override
    public long startTime() {
        return machine.getStartupTime();
    }

    @Override
    public long uptime() {
        return machine.getUptime();
    }

    @Override
    public List<String> inputArguments() {
        return machine.getVmArguments();
    }

    @Override
    public String managementVersion() {
        return machine.getManagementVersion();
    }

    @Override
    public String bootClassPath() {
        return machine.isBootClassPathSupported() ? machine.getBootClassPath() : null;
    }

    @Override
    public long loadedClasses() {
        return machine.getTotalClassCount();
    }

    @Override
    public long unloadedClasses() {
        return machine.getUnloadedClassCount();
    }

    @Override
    public int daemonThreads() {
        return machine.getDaemonThreadCount();
    }

    @Override
    public int liveThreads() {
        return machine.getLiveThreadCount();
    }

    @Override
    public long startedThreads() {
        return machine.getTotalThreadCount();
    }

    @Override
    public String compiler() {
        return machine.getCompilerName();
    }

    @Override
    public long compilationTime() {
        return timesCompilation ? machine.getTotalCompileTime() : -1;
    }

    @Override
    public ThreadMXBean threads() {
        return (ThreadMXBean) (Object) threads;
    }

    @Override
    public long allocatedBytes() {
        return threads.getTotalThreadAllocatedBytes();
    }

    @Override
    public MemoryMXBean memory() {
        return ManagementFactoryHelper.getMemoryMXBean();
    }

    @Override
    public List<MemoryPoolMXBean> pools() {
        return ManagementFactoryHelper.getMemoryPoolMXBeans();
    }

    @Override
    public List<GarbageCollectorMXBean> collectors() {
        return ManagementFactoryHelper.getGarbageCollectorMXBeans();
    }

    @Override
    public BufferPools bufferPools() {
        try {
            return new DirectBufferPools();
        } catch (LinkageError olderJdk) {
            return new PublicBufferPools(System.getProperty("java.specification.version"));
        }
    }
}
