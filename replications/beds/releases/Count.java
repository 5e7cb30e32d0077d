import java.io.FileWriter;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * Writes what a program has used to a file when it ends, and the JVM's own class histogram; the argument of the agent is the
 * file.
 */
public final class Count {
    private Count() {}

    public static void premain(String file) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> write(file)));
    }

    private static String readHistogram() throws JMException {
        // It collects garbage first.
        return (String) ManagementFactory.getPlatformMBeanServer()
                .invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
                        new Object[] {new String[0]}, new String[] {String[].class.getName()});
    }

    private static void write(String file) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long allocated = ((com.sun.management.ThreadMXBean) threads).getTotalThreadAllocatedBytes();
        // Without this thread, which was started for the count.
        long started = threads.getTotalStartedThreadCount() - 1;
        long loaded = ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount();
        long open = ((com.sun.management.UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getOpenFileDescriptorCount();
        try {
            // The first one loads what the second one needs.
            readHistogram();
            String histogram = readHistogram();
            try (Writer out = new FileWriter(file, StandardCharsets.UTF_8)) {
                out.write(allocated + " " + started + " " + loaded + " " + open + "\n" + histogram);
            }
        } catch (Exception error) {
            System.err.println("the count cannot be written to " + file + ": " + error);
        }
    }
}
