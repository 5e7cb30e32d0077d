import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Looks at the picks of a seismic network again: reads the records around them and rates each. */
public class Main {
    static final int RECORDS = 6_000;
    static final int PICKS = 16_000;
    static final List<Trace> kept = new ArrayList<>();
    static PickReader reader;

    public static void main(String[] args) throws Exception {
        Path file = Files.createTempFile("seismic", ".rec");
        try {
            Archive.write(file, RECORDS);
            List<Long> offsets = Archive.index(file, RECORDS);
            reader = Versions.of(PickReader.class, "PickReader", args[0]);
            Random random = new Random(31);
            double sum = 0;
            int strong = 0;
            try (RandomAccessFile archive = new RandomAccessFile(file.toFile(), "r")) {
                for (int i = 0; i < PICKS; i++) {
                    Trace trace = reader.read(archive, offsets.get(random.nextInt(RECORDS)));
                    double ratio = Bands.ratio(trace.samples());
                    sum += ratio;
                    if (ratio > 7.2) strong++;
                    if (i % 3 == 0) kept.add(trace);
                }
            }
            System.out.println("picks " + PICKS + " strong " + strong);
            System.out.println("mean ratio " + Math.round(sum / PICKS * 1_000));
            for (String line : reader.summary()) System.out.println(line);
        } finally {
            Files.deleteIfExists(file);
        }
    }
}
