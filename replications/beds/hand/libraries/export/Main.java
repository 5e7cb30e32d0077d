import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import org.apache.commons.compress.archivers.tar.*;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;
import org.apache.commons.csv.*;

/** Exports the meter readings of a town as CSV files in an archive and reads the archive again to check it. */
public class Main {
    public static void main(String[] args) throws Exception {
        Path file = Files.createTempFile("readings", ".tar.gz");
        try {
            Random r = new Random(17);
            Exporter exporter = Exporters.make(args[0]);
            try (OutputStream to = new BufferedOutputStream(Files.newOutputStream(file), 16_384)) {
                List<List<Reading>> streets = new ArrayList<>();
                for (int s = 0; s < 12; s++) streets.add(readings(r, s, 9000));
                exporter.export(streets, to);
            }
            System.out.println(check(file));
        } finally {
            Files.delete(file);
        }
    }

    private static List<Reading> readings(Random r, int street, int n) {
        List<Reading> out = new ArrayList<>();
        int[] meter = new int[60];
        for (int i = 0; i < n; i++) {
            int m = r.nextInt(60);
            meter[m] += 1 + r.nextInt(40);
            out.add(new Reading(street * 100 + m, 1_700_000_000L + i * 600L, meter[m], r.nextInt(50) == 0 ? "estimated" : "read"));
        }
        return out;
    }

    private static String check(Path file) throws IOException {
        long rows = 0, sum = 0;
        int files = 0;
        try (InputStream raw = new BufferedInputStream(Files.newInputStream(file)); TarArchiveInputStream tar = new TarArchiveInputStream(new GzipCompressorInputStream(raw))) {
            for (TarArchiveEntry e; (e = tar.getNextEntry()) != null; ) {
                if (!e.getName().endsWith(".csv")) continue;
                files++;
                for (CSVRecord row : CSVFormat.DEFAULT.parse(new InputStreamReader(tar, StandardCharsets.US_ASCII))) {
                    rows++;
                    sum += Long.parseLong(row.get(0)) * Long.parseLong(row.get(2)) + Long.parseLong(row.get(1));
                }
            }
        }
        return files + " files, " + rows + " rows, sum " + sum;
    }
}

record Reading(int meter, long time, int value, String kind) {
    int hash() {
        return (int) ((meter * 1_000_003L ^ time * 31 + value) * 0x9E3779B97F4A7C15L >>> 32);
    }
}

interface Exporter {
    void export(List<List<Reading>> streets, OutputStream to) throws IOException;

    static void entry(TarArchiveOutputStream tar, String name, byte[] content) throws IOException {
        TarArchiveEntry e = new TarArchiveEntry(name);
        e.setSize(content.length);
        e.setModTime(1_700_000_000_000L);
        tar.putArchiveEntry(e);
        tar.write(content);
        tar.closeArchiveEntry();
    }

    static byte[] csv(List<Reading> readings) throws IOException {
        return csv(readings, true);
    }

    static byte[] csv(List<Reading> readings, boolean checksums) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (CSVPrinter p = new CSVPrinter(new OutputStreamWriter(bytes, StandardCharsets.US_ASCII), CSVFormat.DEFAULT)) {
            for (Reading r : readings) {
                if (checksums) p.printRecord(r.meter(), r.time(), r.value(), r.kind(), Integer.toHexString(r.hash()));
                else p.printRecord(r.meter(), r.time(), r.value(), r.kind());
            }
        }
        return bytes.toByteArray();
    }
}

class Exporters {
    static Exporter make(String v) {
        return switch (v) {
            case "base" -> new BaseExporter();
            case "small" -> new SmallExporter();
            case "large" -> new LargeExporter();
            case "harmless1" -> new Harmless1Exporter();
            case "harmless2" -> new Harmless2Exporter();
            case "better" -> new BetterExporter();
            default -> throw new IllegalArgumentException(v);
        };
    }
}
