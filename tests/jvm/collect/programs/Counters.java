import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/** Makes garbage, prints what its own MXBeans say by buto's names, and halts at once. */
public class Counters {
    static Object kept;

    public static void main(String[] arguments) {
        for (int i = 0; i < 300; i++) {
            kept = new byte[1 << 20];
        }
        System.gc();
        StringBuilder text = new StringBuilder();
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            line(text, "jvm.gc.count[" + bean.getName() + "]", bean.getCollectionCount());
            line(text, "jvm.gc.time[" + bean.getName() + "]", bean.getCollectionTime() / 1e3);
        }
        line(text, "jvm.thread.started", ManagementFactory.getThreadMXBean().getTotalStartedThreadCount());
        line(text, "jvm.compilation.time", ManagementFactory.getCompilationMXBean().getTotalCompilationTime() / 1e3);
        line(text, "jvm.class.unloaded", ManagementFactory.getClassLoadingMXBean().getUnloadedClassCount());
        line(text, "jvm.class.loaded", ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount());
        System.out.print(text);
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private static void line(StringBuilder text, String name, double value) {
        text.append(name).append('=').append(value).append('\n');
    }
}
