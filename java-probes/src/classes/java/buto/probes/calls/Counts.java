package buto.probes.calls;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** How often each method was called. Instrumented methods of all class loaders call {@link #called}. */
public final class Counts {
    private static volatile List<String> methods = Collections.emptyList();
    private static volatile LongAdder[] sums = new LongAdder[0];

    private Counts() {}

    static void start(List<String> names) {
        LongAdder[] fresh = new LongAdder[names.size()];
        for (int number = 0; number < fresh.length; number++) {
            fresh[number] = new LongAdder();
        }
        methods = names;
        sums = fresh;
    }

    /** @param number of the method */
    public static void called(int number) {
        sums[number].increment();
    }

    /** Writes a line for each method: its name and how often it was called. */
    static void write(Path file) {
        StringBuilder lines = new StringBuilder();
        LongAdder[] now = sums;
        for (int number = 0; number < now.length; number++) {
            lines.append(methods.get(number)).append('\t').append(now[number].sum()).append('\n');
        }
        try {
            Files.write(file, lines.toString().getBytes(StandardCharsets.UTF_8));
        } catch (IOException | RuntimeException error) {
            // Without the file, nothing is known of the calls.
            return;
        }
    }
}
