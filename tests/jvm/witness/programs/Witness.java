import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.Provider;
import java.security.Security;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ForkJoinPool;
import java.util.logging.LogManager;
import javax.management.MBeanServerBuilder;

/** Prints all that a program can see of its world, a line for each thing, and exits with 3. */
public class Witness {
    private static final TreeMap<String, String> SEEN = new TreeMap<>();

    public static class OwnManager extends LogManager {}

    public static class OwnBuilder extends MBeanServerBuilder {
        static boolean isUsed;

        public OwnBuilder() {
            isUsed = true;
        }
    }

    public static void main(String[] arguments) throws Exception {
        libraries();
        network();
        files();
        process();
        settings(arguments);
        modules();
        threads();
        late();
        if (arguments.length > 1) {
            Thread.sleep(Long.parseLong(arguments[1]));
        }
        StringBuilder out = new StringBuilder();
        SEEN.forEach((key, value) -> out.append(key).append('\t').append(value.replace("\n", "\\n")).append('\n'));
        Files.write(Paths.get(arguments[0]), out.toString().getBytes(StandardCharsets.UTF_8));
        System.exit(3);
    }

    /** What is loaded before the program has done anything. */
    private static void libraries() throws IOException {
        byte[] maps = read("/proc/self/maps");
        TreeSet<String> libraries = new TreeSet<>();
        for (String line : new String(maps, StandardCharsets.ISO_8859_1).split("\n")) {
            String file = line.substring(line.lastIndexOf('/') + 1);
            if (file.endsWith(".so") && line.contains("/lib/")) {
                libraries.add(file);
            }
        }
        for (String library : libraries) {
            SEEN.put("library " + library, "loaded");
        }
    }

    /** What stays open: the JVM itself opens files for a moment (limits of its container), whoever started it. */
    private static void files() throws Exception {
        Map<String, String> open = openNow();
        for (int look = 0; look < 3; look++) {
            Thread.sleep(20);
            open.keySet().retainAll(openNow().keySet());
        }
        SEEN.putAll(open);
    }

    private static Map<String, String> openNow() throws IOException {
        Map<String, String> open = new TreeMap<>();
        for (String descriptor : new File("/proc/self/fd").list()) {
            try {
                String target = Files.readSymbolicLink(Paths.get("/proc/self/fd", descriptor)).toString();
                boolean stream = Integer.parseInt(descriptor) < 3;
                String key = stream ? "stream " + descriptor : "open " + shortened(target);
                open.put(key, target.startsWith("/proc/") || stream ? kind(target) : "file");
            } catch (IOException closed) {
                // It was the directory itself.
            }
        }
        return open;
    }

    private static byte[] read(String file) throws IOException {
        try (java.io.FileInputStream stream = new java.io.FileInputStream(file)) {
            java.io.ByteArrayOutputStream all = new java.io.ByteArrayOutputStream();
            byte[] part = new byte[8192];
            for (int count = stream.read(part); count > 0; count = stream.read(part)) {
                all.write(part, 0, count);
            }
            return all.toByteArray();
        }
    }

    private static String shortened(String target) {
        return target.replaceAll("\\[[0-9]+\\]", "")
                .replaceAll("/proc/[0-9]+", "/proc/self")
                .replaceAll("buto-session-[^/]*/taken-[^/]*", "buto-line");
    }

    private static String kind(String target) {
        return target.startsWith("/dev/null") ? "null" : target.startsWith("pipe:") ? "pipe" : "file";
    }

    /** What the system gives to a process. */
    private static void process() throws IOException {
        for (String line : new String(read("/proc/self/status"), StandardCharsets.ISO_8859_1).split("\n")) {
            if (line.matches("(Uid|Gid|Groups|Umask|SigBlk|SigIgn|SigCgt|CapEff|NoNewPrivs|Seccomp|Cpus_allowed):.*")) {
                SEEN.put("status " + line.substring(0, line.indexOf(':')), line.substring(line.indexOf(':') + 1).trim());
            }
        }
        for (String line : new String(read("/proc/self/limits"), StandardCharsets.ISO_8859_1).split("\n")) {
            SEEN.put("limit " + line.substring(0, 26).trim(), line.substring(26).trim());
        }
        SEEN.put("nice", new String(read("/proc/self/stat"), StandardCharsets.ISO_8859_1).split("\\) ")[1].split(" ")[16]);
        SEEN.put("oom", new String(read("/proc/self/oom_score_adj"), StandardCharsets.ISO_8859_1).trim());
        StringBuilder command = new StringBuilder();
        for (String word : new String(read("/proc/self/cmdline"), StandardCharsets.ISO_8859_1).split("\0")) {
            command.append(word.startsWith("-agentlib:instrument=") ? "" : word + " ");
        }
        SEEN.put("command", command.toString());
        SEEN.put("directory", new File("").getAbsolutePath());
    }

    private static void settings(String[] arguments) {
        SEEN.put("arguments", Arrays.toString(arguments));
        for (Map.Entry<String, String> variable : System.getenv().entrySet()) {
            SEEN.put("variable " + variable.getKey(), variable.getValue());
        }
        for (String name : System.getProperties().stringPropertyNames()) {
            SEEN.put("property " + name, System.getProperty(name));
        }
        SEEN.put("charset", Charset.defaultCharset().name());
        SEEN.put("locale", Locale.getDefault().toString());
        SEEN.put("zone", TimeZone.getDefault().getID());
        SEEN.put("pool", String.valueOf(ForkJoinPool.commonPool().getParallelism()));
        StringBuilder providers = new StringBuilder();
        for (Provider provider : Security.getProviders()) {
            providers.append(provider.getName()).append(' ');
        }
        SEEN.put("providers", providers.toString());
        SEEN.put("loader", ClassLoader.getSystemClassLoader().getClass().getName());
    }

    private static void modules() {
        Module own = Witness.class.getModule();
        for (Module module : ModuleLayer.boot().modules()) {
            SEEN.put("module " + module.getName(), "is there");
            StringBuilder exported = new StringBuilder();
            StringBuilder opened = new StringBuilder();
            for (String name : new TreeSet<>(module.getPackages())) {
                exported.append(module.isExported(name, own) ? name + " " : "");
                opened.append(module.isOpen(name, own) ? name + " " : "");
            }
            SEEN.put("exports " + module.getName(), exported.toString());
            SEEN.put("opens " + module.getName(), opened.toString());
        }
        try {
            ((sun.nio.ch.DirectBuffer) java.nio.ByteBuffer.allocateDirect(8)).address();
            SEEN.put("inside of the JDK", "open");
        } catch (IllegalAccessError shut) {
            SEEN.put("inside of the JDK", "shut");
        }
    }

    private static void threads() {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            SEEN.put("thread " + thread.getName(), String.valueOf(thread.isDaemon()));
        }
        SEEN.put("handler", String.valueOf(Thread.getDefaultUncaughtExceptionHandler()));
    }

    /** How a program may still choose its network when it has begun. */
    private static void network() throws Exception {
        System.setProperty("java.net.preferIPv4Stack", "true");
        try (ServerSocket socket = new ServerSocket(0)) {
            SEEN.put("late address", socket.getInetAddress().toString());
        }
        try {
            SocketChannel.open(StandardProtocolFamily.INET6).close();
            SEEN.put("late channel", "IPv6");
        } catch (UnsupportedOperationException refused) {
            SEEN.put("late channel", "IPv4 only");
        } catch (NoSuchMethodError beforeJava15) {
            SEEN.put("late channel", "IPv4 only");
        }
    }

    /** What else it may still decide. */
    private static void late() throws Exception {
        System.setProperty("java.util.logging.manager", "Witness$OwnManager");
        SEEN.put("late log manager", LogManager.getLogManager().getClass().getName());
        System.setProperty("javax.management.builder.initial", "Witness$OwnBuilder");
        ManagementFactory.getPlatformMBeanServer();
        SEEN.put("late builder", String.valueOf(OwnBuilder.isUsed));
        StringBuilder options = new StringBuilder();
        for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            options.append(option.replaceAll("buto-session-[^/]*", "session")).append(' ');
        }
        SEEN.put("options", options.toString());
    }
}
