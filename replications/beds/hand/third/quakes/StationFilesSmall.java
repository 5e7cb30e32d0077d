import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PushbackInputStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;

final class StationFilesSmall implements StationFiles {
    private static final CSVFormat FORMAT = CSVFormat.RFC4180.builder().setHeader().setSkipHeaderRecord(true).build();

    @Override public List<Shock> read(Path file) throws IOException {
        String station = file.getFileName().toString().replace(".csv", "");
        List<Shock> shocks = new ArrayList<>();
        try (Reader reader = open(file); CSVParser parser = FORMAT.parse(reader)) {
            for (CSVRecord r : parser) {
                shocks.add(new Shock(station, Integer.parseInt(r.get("second")), Integer.parseInt(r.get("magnitude")), Double.parseDouble(r.get("depth"))));
            }
        }
        return shocks;
    }

    private static Reader open(Path file) throws IOException {
        PushbackInputStream in = new PushbackInputStream(Files.newInputStream(file), 3);
        skipMark(in);
        return new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    }

    /** Some stations send a byte order mark. */
    private static void skipMark(PushbackInputStream in) throws IOException {
        byte[] first = new byte[3];
        int n = 0;
        for (int b; n < 3 && (b = in.read()) >= 0; n++) first[n] = (byte) b;
        boolean mark = n == 3 && (first[0] & 255) == 0xef && (first[1] & 255) == 0xbb && (first[2] & 255) == 0xbf;
        if (!mark) in.unread(first, 0, n);
    }
}
