import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/** Writes the requests of the days of a summer. */
final class Requests {
    static final String[] HARBOURS = {"Arnholm", "Brekke", "Dagsund", "Ekvik", "Florhamn", "Grindavik"};

    private Requests() { }

    static void write(Path file, int days, int perDay) throws IOException {
        Random random = new Random(48_15_16);
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            for (int d = 0; d < days; d++) {
                for (int i = 0; i < perDay; i++) {
                    String from = HARBOURS[random.nextInt(HARBOURS.length)];
                    out.write(d + ";" + from + ";" + (6 + random.nextInt(16)) + ";" + random.nextInt(3) + ";" + (1 + random.nextInt(5)) + ";guest " + random.nextInt(40_000) + "\n");
                }
            }
        }
    }
}
