package buto.probes.calls;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;

/**
 * Counts how often a few methods are called, and what they allocate. Whatever fails leaves the program as it is.
 *
 * <p>Its argument at the program's start is a file with a method a line, as {@code com.acme.Shop.add}; beside it, the counts
 * are written as the JVM exits. Loaded again while the program runs, its argument is a file for the counts up to then, and
 * the bytes of further calls are measured.
 */
public final class Agent {
    private Agent() {}

    public static void premain(String argument, Instrumentation instrumentation) {
        try {
            Path file = Paths.get(argument);
            List<String> methods = Files.readAllLines(file, StandardCharsets.UTF_8);
            Counts.start(methods);
            instrumentation.addTransformer(new Counting(methods));
            // Each JVM that the program starts has a file of its own.
            Path end = Files.createTempFile(file.toAbsolutePath().getParent(), "exit-", "");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> Counts.write(end), "buto-calls"));
        } catch (IOException | RuntimeException | LinkageError error) {
            // The program under test goes on without being counted.
            return;
        }
    }

    public static void agentmain(String argument) {
        Counts.write(Paths.get(argument));
        Counts.measureMore();
    }
}
