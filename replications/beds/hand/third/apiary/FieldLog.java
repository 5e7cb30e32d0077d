import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/** Writes the log of a season: readings of the scales below the hives, and hives that were lost. */
final class FieldLog {
    private static final int ACTIVE = 1400;

    private FieldLog() { }

    static void write(Path file, int readings) throws IOException {
        Random random = new Random(20240511);
        int[] hive = new int[ACTIVE];
        int[] grams = new int[ACTIVE];
        int next = 1;
        for (int i = 0; i < ACTIVE; i++) {
            hive[i] = next++;
            grams[i] = 24_000 + random.nextInt(9_000);
        }
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            for (int i = 0; i < readings; i++) {
                int at = random.nextInt(ACTIVE);
                int change = random.nextInt(420) - 200;
                if (random.nextInt(34) == 0) change = -1_500 - random.nextInt(900);
                grams[at] = Math.max(15_000, grams[at] + change);
                if (grams[at] < 16_500) grams[at] += 11_000;
                out.write("R;hive-" + hive[at] + ";" + i / 40 + ";" + grams[at] + ";" + (3_200 + random.nextInt(500)) + "\n");
                if (i % 160 == 159) {
                    int gone = random.nextInt(ACTIVE);
                    out.write("L;hive-" + hive[gone] + "\n");
                    hive[gone] = next++;
                    grams[gone] = 24_000 + random.nextInt(9_000);
                }
            }
        }
    }
}
