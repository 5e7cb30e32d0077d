import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Books the ferry crossings of a summer. */
public class Main {
    static final int DAYS = 20;
    static final int PER_DAY = 15_000;
    static Terminal terminal;

    public static void main(String[] args) throws Exception {
        Path file = Files.createTempFile("pontoon", ".txt");
        try {
            Requests.write(file, DAYS, PER_DAY);
            Booking specimen = Booking.parse("0;Arnholm;18;1;2;specimen");
            System.out.println(specimen.letter());
            System.out.println(specimen.copy());
            terminal = Versions.of(Terminal.class, "Terminal", args[0]);
            try (BufferedReader in = Lines.open(file)) {
                for (int d = 0; d < DAYS; d++) {
                    if (d % 4 == 0) terminal.timetable(d / 4);
                    terminal.day(requests(in));
                }
            }
            System.out.println(Stream.of(Requests.HARBOURS).map(String::toUpperCase).collect(Collectors.joining(" ")));
            System.out.println(Stream.of(Requests.HARBOURS).collect(Collectors.toList()).stream().mapToLong(String::length).sum());
            for (String line : terminal.summary()) System.out.println(line);
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private static List<String> requests(BufferedReader in) throws IOException {
        List<String> lines = new ArrayList<>(PER_DAY);
        for (int i = 0; i < PER_DAY; i++) lines.add(in.readLine());
        return lines;
    }
}
