import java.io.FileWriter;
import java.io.IOException;
import java.io.Writer;
import java.lang.management.ClassLoadingMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Appends what a program has used to a file when it ends; the argument of the agent is the file. */
public final class Probe {
    private Probe() {}

    public static void premain(String file) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> write(file)));
    }

    private static void write(String file) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long allocated = ((com.sun.management.ThreadMXBean) threads).getTotalThreadAllocatedBytes();
        // Without this thread, which was started for the count.
        int left = threads.getThreadCount() - 1;
        long started = threads.getTotalStartedThreadCount() - 1;
        ClassLoadingMXBean classes = ManagementFactory.getClassLoadingMXBean();
        long loaded = classes.getTotalLoadedClassCount();
        long open = ((com.sun.management.UnixOperatingSystemMXBean)
                        ManagementFactory.getOperatingSystemMXBean())
                .getOpenFileDescriptorCount();
        long collections = 0;
        for (GarbageCollectorMXBean one : ManagementFactory.getGarbageCollectorMXBeans()) {
            collections += one.getCollectionCount();
        }
        System.gc();
        System.gc();
        long live = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        try (Writer out = new FileWriter(file, true)) {
            out.write(allocated + "," + live + "," + left + "," + started + "," + loaded + "," + open + ","
                    + collections + "\n");
        } catch (IOException error) {
            System.err.println("the probe cannot write " + file + ": " + error);
        }
    }
}
