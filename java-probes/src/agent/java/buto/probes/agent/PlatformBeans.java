package buto.probes.agent;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.util.ArrayList;

/** The platform's beans that every run records, read through their interfaces, with no MBean server. */
final class PlatformBeans {
    private PlatformBeans() {}

    /**
     * Makes the beans and their columns; which there are depends on the JVM and its options alone.
     *
     * @param sun null in a JVM without com.sun.management
     */
    static Bean[] all(SunBeans sun, Columns columns) {
        ArrayList<Bean> beans = new ArrayList<Bean>();
        beans.add(new ClassLoadingBean(columns));
        beans.add(new CompilationBean(columns));
        beans.add(new MemoryBean(columns));
        beans.add(new ThreadBean(columns));
        beans.add(new ProcessBean(sun, columns));
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            beans.add(new PoolBean(pool, columns));
        }
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            beans.add(new CollectorBean(collector, columns));
        }
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            beans.add(new BufferBean(pool, columns));
        }
        return beans.toArray(new Bean[0]);
    }
}
