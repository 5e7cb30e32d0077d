package live.outside;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.Properties;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Does the same work in each run, and keeps what it finds around itself.
 *
 * <p>The first argument says what it reads; no argument names a file, so that none of them belongs to the
 * program that buto keeps.
 */
public final class Outside {
    private static final int BLOCK_BYTES = 16 * 1024;

    /** What the program keeps to its end. */
    private static final List<Object> KEPT = new ArrayList<>();

    private Outside() {}

    public static void main(String[] arguments) throws IOException {
        work();
        switch (arguments[0]) {
            case "file" -> KEPT.addAll(Files.readAllLines(Path.of("data", "input.csv")));
            case "neighbour" -> KEPT.addAll(Files.readAllLines(Path.of("..", "shared", "reference.csv")));
            case "link" -> KEPT.addAll(Files.readAllLines(Path.of("current.csv")));
            case "linked-directory" -> keepFiles(Path.of("release"));
            case "directory" -> keepFiles(Path.of("plugins"));
            case "home" -> keepFiles(Path.of(System.getenv("HOME"), ".app"));
            case "variable" -> keepBlocks(Integer.parseInt(System.getenv("CACHE_SIZE")));
            case "property" -> keepBlocks(Integer.getInteger("cache.size", 20));
            case "properties" -> keepBlocks(sizeIn(Path.of("conf", "app.properties"), 20));
            case "include" -> keepBlocks(sizeIn(Path.of("conf", "local.properties"), 20));
            case "dotenv" -> keepBlocks(sizeIn(Path.of(".env"), 20));
            case "zone" -> keepBlocks(20 + ZoneId.systemDefault().getRules().getTransitions().size());
            case "charset" -> KEPT.add(Files.readString(Path.of("data", "text.txt"), latin()));
            case "path" -> keepBlocks(20 * System.getenv("PATH").split(File.pathSeparator).length);
            case "limit" -> keepBlocks((int) Math.min(2000, mostFiles() / 8));
            case "archive" -> keepArchive(Path.of("data", "archive.zip"));
            case "cache" -> keepCache(Path.of("data", "input.csv"), Path.of("cache", "index"));
            case "server" -> keepAnswer(Integer.parseInt(Files.readString(Path.of("port")).trim()));
            default -> throw new IllegalArgumentException(arguments[0]);
        }
        System.out.println(KEPT.size());
    }

    private static void work() {
        long sum = 0;
        for (int round = 0; round < 200; round++) {
            List<String> texts = new ArrayList<>();
            for (int number = 0; number < 1000; number++) {
                texts.add(Integer.toString(number * round));
            }
            sum += texts.hashCode();
        }
        KEPT.add(sum);
    }

    private static void keepBlocks(int blocks) {
        for (int number = 0; number < blocks; number++) {
            KEPT.add(new byte[BLOCK_BYTES]);
        }
    }

    private static void keepFiles(Path directory) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                KEPT.add(Files.readAllBytes(file));
            }
        }
    }

    private static int sizeIn(Path file, int otherwise) throws IOException {
        Properties properties = new Properties();
        if (Files.exists(file)) {
            try (BufferedReader reader = Files.newBufferedReader(file)) {
                properties.load(reader);
            }
        }
        return Integer.parseInt(properties.getProperty("cache.size", Integer.toString(otherwise)));
    }

    /** Returns the character set of the environment, whatever the JDK's default is. */
    private static Charset latin() {
        String language = System.getenv("LANG");
        return language != null && language.endsWith("UTF-8") ? StandardCharsets.UTF_8 : StandardCharsets.ISO_8859_1;
    }

    private static long mostFiles() {
        var system = ManagementFactory.getOperatingSystemMXBean();
        return ((com.sun.management.UnixOperatingSystemMXBean) system).getMaxFileDescriptorCount();
    }

    private static void keepArchive(Path file) throws IOException {
        try (ZipFile archive = new ZipFile(file.toFile())) {
            for (Enumeration<? extends ZipEntry> entries = archive.entries(); entries.hasMoreElements(); ) {
                KEPT.add(archive.getInputStream(entries.nextElement()).readAllBytes());
            }
        }
    }

    /** Builds an index anew unless one is there that is newer than its source. */
    private static void keepCache(Path source, Path cache) throws IOException {
        boolean isFresh = Files.exists(cache)
                && Files.getLastModifiedTime(cache).compareTo(Files.getLastModifiedTime(source)) >= 0;
        if (isFresh) {
            KEPT.add(Files.readAllBytes(cache));
        } else {
            keepBlocks(400);
        }
    }

    private static void keepAnswer(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                BufferedReader reader = new BufferedReader(
                        new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                KEPT.add(line);
            }
        }
    }
}
