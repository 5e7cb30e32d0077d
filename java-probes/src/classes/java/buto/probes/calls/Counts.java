package buto.probes.calls;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The methods that are counted. Instrumented methods of all class loaders call {@link #entered} and {@link #left}. */
public final class Counts {
    private static volatile Counted[] methods = new Counted[0];
    private static volatile boolean isMeasured;

    private Counts() {}

    static void start(List<String> names) {
        ThreadLocal<Inside> threads = ThreadLocal.withInitial(() -> new Inside(names.size() + 1));
        isMeasured = isMeasured(new Counted("", names.size(), threads));
        Counted[] fresh = new Counted[names.size()];
        for (int number = 0; number < fresh.length; number++) {
            fresh[number] = new Counted(names.get(number), number, threads);
        }
        methods = fresh;
        measureMore();
    }

    /** Returns whether this JVM counts bytes. What the first call loads would else count for a method of the program's. */
    private static boolean isMeasured(Counted tried) {
        try {
            tried.measureMore();
            tried.entered();
            return tried.left();
        } catch (RuntimeException | LinkageError error) {
            // It lacks a module, or knows no bytes.
            return false;
        }
    }

    /** @param number of the method that begins */
    public static void entered(int number) {
        methods[number].entered();
    }

    /** @param number of the method that returns or throws */
    public static void left(int number) {
        methods[number].left();
    }

    /** Writes a line for each method: its name, calls, calls whose bytes are known, and these bytes. */
    static void write(Path file) {
        StringBuilder lines = new StringBuilder();
        for (Counted method : methods) {
            lines.append(method.line()).append('\n');
        }
        try {
            Files.write(file, lines.toString().getBytes(StandardCharsets.UTF_8));
        } catch (IOException | RuntimeException error) {
            // Without the file, nothing is known of the calls.
            return;
        }
    }

    /** Measures the bytes of the calls that follow, up to the usual number. */
    static void measureMore() {
        if (isMeasured) {
            for (Counted method : methods) {
                method.measureMore();
            }
        }
    }
}
