import java.io.*;
import java.nio.file.*;
import java.util.*;

/** Sorts events of a message broker into one journal file for each topic, below a temporary directory. */
public class Main {
    static Journal journal; // closed by the broker at its end, not by us

    public static void main(String[] args) throws Exception {
        Path dir = Files.createTempDirectory("journal");
        try {
            journal = Journals.make(args[0], dir);
            Random r = new Random(8);
            for (int i = 0; i < 440_000; i++) {
                int topic = r.nextInt(24);
                journal.append("topic-" + topic, i, "event " + i + " of producer " + r.nextInt(300) + " level " + r.nextInt(4));
            }
            journal.flush();
            long bytes = 0, files = 0;
            try (DirectoryStream<Path> all = Files.newDirectoryStream(dir, "topic-*.log")) {
                for (Path p : all) {
                    files++;
                    bytes += Files.size(p);
                }
            }
            System.out.println(files + " journals, " + bytes + " bytes");
        } finally {
            try (DirectoryStream<Path> all = Files.newDirectoryStream(dir)) {
                for (Path p : all) Files.delete(p);
            }
            Files.delete(dir);
        }
    }
}

interface Journal {
    void append(String topic, int sequence, String event) throws IOException;

    void flush() throws IOException;
}

class Journals {
    static Journal make(String v, Path dir) throws Exception {
        return (Journal) Class.forName("Journal" + v.substring(0, 1).toUpperCase() + v.substring(1)).getDeclaredConstructor(Path.class).newInstance(dir);
    }

    static Writer open(Path dir, String name) throws IOException {
        return new BufferedWriter(new FileWriter(dir.resolve(name).toFile(), true), 4096);
    }
}
