package sun.management;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryPoolMXBean;
import java.util.List;

public class ManagementFactoryHelper {
    public static VMManagement getVMManagement() {
        return null;
    }

    public static List<BufferPoolMXBean> getBufferPoolMXBeans() {
        return null;
    }

    public static MemoryMXBean getMemoryMXBean() {
        return null;
    }

    public static List<MemoryPoolMXBean> getMemoryPoolMXBeans() {
        return null;
    }

    public static List<GarbageCollectorMXBean> getGarbageCollectorMXBeans() {
        return null;
    }
}
