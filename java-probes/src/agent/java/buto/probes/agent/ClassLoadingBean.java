package buto.probes.agent;

import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;

/** Classes loaded and unloaded. */
final class ClassLoadingBean extends Bean {
    private final ClassLoadingMXBean bean = ManagementFactory.getClassLoadingMXBean();
    private final int loaded;
    private final int present;
    private final int unloaded;

    ClassLoadingBean(Columns columns) {
        super("java.lang:type=ClassLoading", columns);
        loaded = columns.add("jvm.class.loaded", "{class}", Columns.COUNTER);
        present = columns.add("jvm.class.count", "{class}", Columns.GAUGE);
        unloaded = columns.add("jvm.class.unloaded", "{class}", Columns.COUNTER);
        declared(columns);
    }

    @Override
    void read(Columns columns) {
        columns.set(loaded, bean.getTotalLoadedClassCount());
        columns.set(present, bean.getLoadedClassCount());
        columns.set(unloaded, bean.getUnloadedClassCount());
    }
}
