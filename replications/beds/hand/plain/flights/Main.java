import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;

/** Reads a year of flights from a CSV file with a section for each day and sums up delays by airport. */
public class Main {
    public static void main(String[] args) throws IOException {
        Path csv = Files.createTempFile("flights", ".csv");
        try {
            write(csv);
            FlightReader reader = switch (args[0]) {
                case "base" -> new FlightReaderBase();
                case "small" -> new FlightReaderSmall();
                case "large" -> new FlightReaderLarge();
                case "harmless1" -> new FlightReaderHarmless1();
                case "harmless2" -> new FlightReaderHarmless2();
                case "better" -> new FlightReaderBetter();
                default -> throw new IllegalArgumentException(args[0]);
            };
            Delays delays = new Delays();
            reader.read(csv, delays);
            System.out.println(delays);
        } finally {
            Files.delete(csv);
        }
    }

    private static void write(Path csv) throws IOException {
        String[] airports = {"HAM", "TXL", "CDG", "LHR", "ZRH", "VIE", "PRG", "CPH"};
        Random r = new Random(1903);
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(csv), 1 << 16)) {
            for (int day = 1; day <= 160; day++) {
                StringBuilder b = new StringBuilder("#day," + day + "\n");
                for (int i = 0; i < 1600; i++) {
                    String from = airports[r.nextInt(8)], to = airports[r.nextInt(8)];
                    b.append("XY").append(100 + r.nextInt(900)).append(',').append(from).append(',').append(to).append(',').append(r.nextInt(1440))
                        .append(',').append(Math.max(0, (int) (r.nextGaussian() * 25))).append(",D-A").append((char) ('A' + r.nextInt(26))).append("XW,A32").append(r.nextInt(2)).append(",on schedule or not\n");
                }
                out.write(b.toString().getBytes(StandardCharsets.US_ASCII));
            }
        }
    }
}

interface FlightReader {
    void read(Path csv, Delays into) throws IOException;
}

/** Takes the bytes of the file one by one. */
final class Delays {
    private final Map<String, Long> byAirport = new TreeMap<>();
    private final byte[] line = new byte[256];
    private int n, days, flights;

    /** True at the end of a section head. */
    boolean accept(int b) {
        if (b != '\n') {
            line[n++] = (byte) b;
            return false;
        }
        boolean head = line[0] == '#';
        if (head) days++;
        else flight(new String(line, 0, n, StandardCharsets.US_ASCII));
        n = 0;
        return head;
    }

    private void flight(String s) {
        flights++;
        int a = s.indexOf(','), t = s.indexOf(',', s.indexOf(',', a + 5) + 1);
        byAirport.merge(s.substring(a + 1, a + 4), (long) Integer.parseInt(s, t + 1, s.indexOf(',', t + 1), 10), Long::sum);
    }

    @Override public String toString() {
        return days + " days, " + flights + " flights, minutes late " + byAirport;
    }
}
