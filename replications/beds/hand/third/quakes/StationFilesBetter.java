import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
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

final class StationFilesBetter implements StationFiles {
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
        return new BufferedReader(new InputStreamReader(new BufferedInputStream(Files.newInputStream(file), 1 << 15), StandardCharsets.UTF_8));
    }
}
