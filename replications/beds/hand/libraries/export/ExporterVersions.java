import java.io.*;
import java.util.*;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.compressors.gzip.*;

class BaseExporter implements Exporter {
    public void export(List<List<Reading>> streets, OutputStream to) throws IOException {
        GzipParameters gz = new GzipParameters();
        gz.setCompressionLevel(6);
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(new GzipCompressorOutputStream(to, gz))) {
            for (int s = 0; s < streets.size(); s++) Exporter.entry(tar, "street-" + s + ".csv", Exporter.csv(streets.get(s)));
        }
    }
}

/** With a list of the meters read in each hour, for the office. */
class SmallExporter implements Exporter {
    public void export(List<List<Reading>> streets, OutputStream to) throws IOException {
        GzipParameters gz = new GzipParameters();
        gz.setCompressionLevel(6);
        StringBuilder index = new StringBuilder();
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(new GzipCompressorOutputStream(to, gz))) {
            for (int s = 0; s < streets.size(); s++) {
                Exporter.entry(tar, "street-" + s + ".csv", Exporter.csv(streets.get(s)));
                int n = 0;
                for (Reading r : streets.get(s)) if (n++ % 6 == 0) index.append(r.time()).append(' ').append(r.meter()).append('\n');
            }
            Exporter.entry(tar, "index.txt", index.toString().getBytes());
        }
    }
}

/** Fast: hardly any compression. */
class LargeExporter implements Exporter {
    public void export(List<List<Reading>> streets, OutputStream to) throws IOException {
        GzipParameters gz = new GzipParameters();
        gz.setCompressionLevel(0);
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(new GzipCompressorOutputStream(to, gz))) {
            for (int s = 0; s < streets.size(); s++) Exporter.entry(tar, "street-" + s + ".csv", Exporter.csv(streets.get(s)));
        }
    }
}

class Harmless1Exporter implements Exporter {
    private static final int LEVEL = 6;

    @Override public void export(List<List<Reading>> streets, OutputStream to) throws IOException {
        try (TarArchiveOutputStream archive = open(to)) {
            int number = 0;
            for (List<Reading> street : streets) {
                byte[] csv = Exporter.csv(street);
                Exporter.entry(archive, "street-" + number++ + ".csv", csv);
            }
        }
    }

    private static TarArchiveOutputStream open(OutputStream to) throws IOException {
        GzipParameters parameters = new GzipParameters();
        parameters.setCompressionLevel(LEVEL);
        return new TarArchiveOutputStream(new GzipCompressorOutputStream(to, parameters));
    }
}

class Harmless2Exporter implements Exporter {
    private record Part(String name, List<Reading> readings) { }

    public void export(List<List<Reading>> streets, OutputStream to) throws IOException {
        List<Part> parts = new ArrayList<>();
        for (List<Reading> l : streets) parts.add(new Part("street-" + parts.size() + ".csv", l));
        GzipParameters gz = new GzipParameters();
        gz.setCompressionLevel(6);
        OutputStream zipped = new GzipCompressorOutputStream(to, gz);
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(zipped)) {
            for (Part p : parts) Exporter.entry(tar, p.name(), Exporter.csv(p.readings()));
        }
    }
}

/** One checksum per street instead of one in each row. */
class BetterExporter implements Exporter {
    public void export(List<List<Reading>> streets, OutputStream to) throws IOException {
        GzipParameters gz = new GzipParameters();
        gz.setCompressionLevel(6);
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(new GzipCompressorOutputStream(to, gz))) {
            for (int s = 0; s < streets.size(); s++) {
                Exporter.entry(tar, "street-" + s + ".csv", Exporter.csv(streets.get(s), false));
                int sum = 0;
                for (Reading r : streets.get(s)) sum = sum * 31 + r.hash();
                Exporter.entry(tar, "street-" + s + ".sum", Integer.toHexString(sum).getBytes());
            }
        }
    }
}
