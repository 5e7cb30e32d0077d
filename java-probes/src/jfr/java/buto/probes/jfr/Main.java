package buto.probes.jfr;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import jdk.jfr.consumer.RecordingFile;

/**
 * Reads recordings of Flight Recorder and prints their stacks, folded, as text that docs/formats/stacks.md
 * describes. A recording that cannot be read leaves one line with the reason; the others are still read.
 */
public final class Main {
    /** How the recordings of async-profiler begin, which do not tell class loaders. */
    private static final String OF_PROFILER = "profiler-";

    private Main() {}

    public static void main(String[] files) throws IOException {
        try (PrintWriter out = new PrintWriter(new OutputStreamWriter(
                new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16),
                StandardCharsets.UTF_8))) {
            out.print("buto-stacks\t2\n");
            for (String file : files) {
                read(Path.of(file), out);
            }
            out.print("end\n");
        }
    }

    private static void read(Path file, PrintWriter out) {
        Recorded recorded = new Recorded(file.getFileName().toString().startsWith(OF_PROFILER));
        String failure = "";
        try (RecordingFile recording = new RecordingFile(file)) {
            while (recording.hasMoreEvents()) {
                recorded.add(recording.readEvent());
            }
        } catch (IOException | RuntimeException | OutOfMemoryError | StackOverflowError error) {
            // A damaged file makes the parser fail in many ways; what was read before stays.
            failure = error.getClass().getSimpleName() + ": " + error.getMessage();
        }
        recorded.print(file.toString(), failure, out);
    }
}
