import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;

/** Replays the bids of an auction house and says what was sold for how much. */
public class Main {
    static BidDesk desk;

    public static void main(String[] args) throws IOException {
        Path tape = Files.createTempFile("auction", ".csv");
        try {
            BidTape.write(tape, 400_000, 6_000);
            desk = Versions.of(BidDesk.class, "BidDesk", args[0]);
            try (BufferedReader in = Lines.open(tape)) {
                for (String line = in.readLine(); line != null; line = in.readLine()) desk.accept(line);
            }
            long shortest = IntStream.of(4, 5, 6).mapToLong(i -> i).filter(i -> i < 6).sum();
            desk.summary().stream().filter(l -> l.length() > shortest).forEach(System.out::println);
        } finally {
            Files.deleteIfExists(tape);
        }
    }
}
