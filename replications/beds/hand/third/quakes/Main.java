import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

/** Earthquakes: files of the stations are read, and events that several stations saw are found. */
public class Main {
    public static void main(String[] args) throws Exception {
        StationFiles reader = Choice.of(StationFiles.class, "StationFiles", args[0]);
        Path dir = Files.createTempDirectory("quakes");
        List<Path> files = write(dir);
        List<Thread> threads = new ArrayList<>();
        ExecutorService pool = Executors.newFixedThreadPool(2, task -> {
            Thread thread = new Thread(task, "reader");
            threads.add(thread);
            return thread;
        });
        try {
            List<Future<List<Shock>>> parts = new ArrayList<>();
            for (Path f : files) parts.add(pool.submit(() -> reader.read(f)));
            Map<Integer, Integer> seen = new TreeMap<>();
            long shocks = 0;
            double depth = 0;
            for (Future<List<Shock>> part : parts) {
                for (Shock s : part.get()) {
                    shocks++;
                    depth += s.depth();
                    if (s.magnitude() > 38) seen.merge(s.second() / 60, 1, Integer::sum);
                }
            }
            System.out.println("shocks " + shocks + " depth " + Math.round(depth));
            System.out.println("minutes " + seen.entrySet().stream().filter(e -> e.getValue() > 3).map(e -> String.valueOf(e.getKey())).collect(Collectors.joining(" ")));
        } finally {
            pool.shutdown();
            for (Thread thread : threads) thread.join();
            for (Path f : files) Files.delete(f);
            Files.delete(dir);
        }
    }

    private static List<Path> write(Path dir) throws IOException {
        Random random = new Random(77);
        List<Path> files = new ArrayList<>();
        for (int station = 0; station < 24; station++) {
            Path f = dir.resolve("station" + station + ".csv");
            files.add(f);
            try (BufferedWriter out = Files.newBufferedWriter(f)) {
                out.write("second,magnitude,depth,comment\n");
                for (int i = 0, second = 0; i < 2000; i++) {
                    second += random.nextInt(100);
                    out.write(second + "," + random.nextInt(40) + "," + random.nextInt(300) + "." + random.nextInt(10) + ",\"channel " + random.nextInt(3) + ", filter band " + random.nextInt(8) + ", checked by the night shift of the institute\"\n");
                }
            }
        }
        return files;
    }
}
