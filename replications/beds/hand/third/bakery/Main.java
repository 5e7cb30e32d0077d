import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;

/** A bakery's night: four ovens bake, and each temperature is written to the log. */
public class Main {
    public static void main(String[] args) throws Exception {
        Path dir = Files.createTempDirectory("bakery");
        AtomicInteger count = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        ExecutorService pool = Executors.newFixedThreadPool(2, task -> {
            Thread thread = new Thread(task, "oven-crew-" + count.incrementAndGet());
            threads.add(thread);
            return thread;
        });
        try {
            List<Long> sums = new ArrayList<>();
            try (OvenLog log = Choice.of(OvenLog.class, "OvenLog", args[0])) {
                log.open(dir);
                log.shift().info("shift begins with {} ovens", 4);
                List<Future<Long>> results = new ArrayList<>();
                for (int oven = 0; oven < 4; oven++) {
                    int o = oven;
                    results.add(pool.submit(() -> bake(o, log.oven(o))));
                }
                for (Future<Long> r : results) sums.add(r.get());
                log.shift().info("shift ends");
            }
            System.out.println("degrees " + sums.stream().map(String::valueOf).collect(Collectors.joining(" ")));
        } finally {
            pool.shutdown();
            for (Thread thread : threads) thread.join();
            clear(dir);
        }
    }

    private static long bake(int oven, Logger log) {
        Random random = new Random(100 + oven);
        long sum = 0;
        int degrees = 180;
        for (int i = 0; i < 4000; i++) {
            degrees = Math.max(160, Math.min(260, degrees + random.nextInt(7) - 3));
            sum += degrees;
            log.info("tray {} shelf {} at {} degrees, moisture {} percent", 1000 + i, 1 + i % 6, degrees, 30 + random.nextInt(40));
            if (degrees > 250) log.debug("hot");
        }
        return sum;
    }

    private static void clear(Path dir) throws IOException {
        try (Stream<Path> all = Files.list(dir)) {
            for (Path p : all.collect(Collectors.toList())) Files.delete(p);
        }
        Files.delete(dir);
    }
}
