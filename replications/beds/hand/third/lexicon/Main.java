import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Counts the inflected words of some texts. */
public class Main {
    static final int TEXTS = 8;
    static final int WORDS = 50_000;
    static final Map<String, Integer> counts = new HashMap<>();
    static RuleBook book;

    public static void main(String[] args) throws Exception {
        Path file = Files.createTempFile("lexicon", ".txt");
        try {
            Texts.write(file, TEXTS, WORDS);
            book = Versions.of(RuleBook.class, "RuleBook", args[0]);
            long letters = 0;
            try (BufferedReader in = Lines.open(file)) {
                for (int t = 0; t < TEXTS; t++) {
                    book.text(t);
                    for (int w = 0; w < WORDS; w++) {
                        letters += count(in.readLine());
                    }
                }
            }
            System.out.println("letters " + letters);
            System.out.println("beginnings " + counts.size());
            for (String line : book.summary()) System.out.println(line);
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private static int count(String line) {
        int bar = line.indexOf('|');
        String form = book.inflect(line.substring(0, bar), line.substring(bar + 1));
        counts.merge(form.substring(0, Math.min(3, form.length())), 1, Integer::sum);
        return form.length();
    }
}
