import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/** Texts: on each line a word and the rule for the form that is asked for. */
final class Texts {
    private static final String[] CUTS = {"", "", "y", "e", "um", "us", "a", "is", "on", "er"};
    private static final String[] PUTS = {"s", "es", "ies", "i", "en", "e", "ae", "ata", "n", "ing", "ed", "est", "ly", "ern", "ung", "heit"};

    private Texts() { }

    static void write(Path file, int texts, int words) throws IOException {
        Random random = new Random(26);
        String[] rules = new String[140];
        for (int r = 0; r < rules.length; r++) {
            String put = PUTS[r / CUTS.length];
            rules[r] = CUTS[r % CUTS.length] + (r % CUTS.length == 1 ? "t" : "") + ">" + put;
        }
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            for (int t = 0; t < texts; t++) {
                for (int w = 0; w < words; w++) out.write(line(random, rules));
            }
        }
    }

    private static String line(Random random, String[] rules) {
        char[] stem = new char[3 + random.nextInt(6)];
        for (int i = stem.length - 1; i >= 0; i--) stem[i] = (char) ('a' + random.nextInt(26));
        int r = random.nextInt(rules.length);
        String rule = rules[r];
        if (r % 6 == 0 && random.nextInt(20) == 0) rule = " " + rule;
        return new String(stem) + CUTS[r % CUTS.length] + "|" + rule + "\n";
    }
}
