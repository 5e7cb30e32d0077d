import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Sends the orders of a day to the analyzers of a laboratory and files the results. */
public class Main {
    static final int ANALYZERS = 14;
    static final int ROUNDS = 6;
    static final int ORDERS = 1_000;
    static final List<String> kept = new ArrayList<>();
    static Analyzers analyzers;
    static Laboratory laboratory;

    public static void main(String[] args) throws Exception {
        Path results = Files.createTempFile("surgery", ".res");
        try {
            laboratory = new Laboratory();
            analyzers = Versions.of(Analyzers.class, "Analyzers", args[0]);
            analyzers.open(laboratory.port());
            Random random = new Random(112);
            try (BufferedWriter out = Files.newBufferedWriter(results)) {
                for (int r = 0; r < ROUNDS; r++) {
                    analyzers.round(r);
                    for (int i = 0; i < ORDERS; i++) {
                        String answer = analyzers.ask(random.nextInt(ANALYZERS), "S" + (100_000 + random.nextInt(900_000)));
                        out.write(answer + "\n");
                    }
                }
            }
            long sum = 0;
            for (int reading = 1; reading <= 2; reading++) {
                try (BufferedReader in = Files.newBufferedReader(results)) {
                    for (String line = in.readLine(); line != null; line = in.readLine()) {
                        String[] markers = line.split(";");
                        for (int i = 1; i < markers.length; i++) {
                            String m = markers[i];
                            sum += Integer.parseInt(m, m.indexOf('=') + 1, m.lastIndexOf(' '), 10);
                        }
                        if (reading == 2 && kept.size() < 2_000) kept.add(line);
                    }
                }
            }
            System.out.println(Stream.of("orders", "analyzers").map(String::strip).collect(Collectors.joining("/")) + " " + ROUNDS * ORDERS + "/" + ANALYZERS);
            System.out.println("sum of the markers " + sum);
            for (String line : analyzers.summary()) System.out.println(line);
        } finally {
            Files.deleteIfExists(results);
        }
    }
}
