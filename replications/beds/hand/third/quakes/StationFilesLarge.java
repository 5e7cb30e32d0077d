import java.io.BufferedReader;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;

final class StationFilesLarge implements StationFiles {
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
        return new BufferedReader(new InputStreamReader(new Watched(Files.newInputStream(file)), StandardCharsets.UTF_8));
    }

    /** Sees to it that a station that sends too much does not stop the others. */
    private static final class Watched extends FilterInputStream {
        private static final int STEP = 256;
        private long total;

        Watched(InputStream in) {
            super(in);
        }

        @Override public int read(byte[] b, int off, int len) throws IOException {
            int n = super.read(b, off, Math.min(len, STEP));
            if (n > 0 && (total += n) > 50_000_000) throw new IOException("too much");
            return n;
        }
    }
}
