package buto.probes.jfr;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Reads recordings of Flight Recorder and prints their stacks, folded, as text that java-probes/stacks.md
 * describes. A recording that cannot be read leaves one line with the reason; the others are still read.
 */
public final class Main {
    private Main() {}

    /**
     * @param words after how many seconds without an event a file is given up, the bytes between two samples of kept
     *     objects, then the files
     */
    public static void main(String[] words) throws IOException, InterruptedException {
        long patienceS = Long.parseLong(words[0]);
        double betweenSamples = Double.parseDouble(words[1]);
        try (PrintWriter out = new PrintWriter(new OutputStreamWriter(
                new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16),
                StandardCharsets.UTF_8))) {
            out.print("buto-stacks\t2\n");
            for (String file : Arrays.asList(words).subList(2, words.length)) {
                Reading reading = Reading.start(Path.of(file), betweenSamples);
                reading.await(patienceS);
                reading.print(out);
            }
            out.print("end\n");
        }
    }
}
