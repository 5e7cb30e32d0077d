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

final class StationFilesHarmless1 implements StationFiles {
    private static final CSVFormat FORMAT = CSVFormat.RFC4180.builder().setHeader().setSkipHeaderRecord(true).build();

    @Override public List<Shock> read(Path file) throws IOException {
        String station = file.getFileName().toString().replace(".csv", "");
        List<Shock> shocks = new ArrayList<>();
        try (Reader reader = open(file); CSVParser parser = FORMAT.parse(reader)) {
            for (CSVRecord r : parser) {
                shocks.add(shock(station, r));
            }
        }
        return shocks;
    }

    private static Shock shock(String station, CSVRecord r) {
        int second = Integer.parseInt(r.get("second"));
        int magnitude = Integer.parseInt(r.get("magnitude"));
        return new Shock(station, second, magnitude, Double.parseDouble(r.get("depth")));
    }

    private static Reader open(Path file) throws IOException {
        return new BufferedReader(new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8));
    }
}
