import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Follows the weights of bee hives over a season and says which hives are in the field at its end. */
public class Main {
    static Registry registry;

    public static void main(String[] args) throws IOException {
        Path log = Files.createTempFile("apiary", ".csv");
        try {
            FieldLog.write(log, 340_000);
            registry = Versions.of(Registry.class, "Registry", args[0]);
            try (BufferedReader in = Lines.open(log)) {
                for (String line = in.readLine(); line != null; line = in.readLine()) follow(line);
            }
            int longest = Stream.of("apiary", "season").mapToInt(String::length).max().orElse(0);
            registry.summary().stream().filter(l -> l.length() > longest).forEach(System.out::println);
        } finally {
            Files.deleteIfExists(log);
        }
    }

    private static void follow(String line) {
        String[] fields = line.split(";");
        if (fields[0].equals("R")) registry.reading(fields[1], Integer.parseInt(fields[2]), Integer.parseInt(fields[3]), Integer.parseInt(fields[4]));
        else registry.lost(fields[1]);
    }
}
