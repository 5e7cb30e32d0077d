import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;

/**
 * Does equal blocks of work in virtual threads, of which every other one is watched as buto watches a program. Prints for
 * each pair of them the processor time of the watched one and of the other one, in nanoseconds.
 */
final class Watched {
    private static final int THREADS = 50;
    private static final int PARKS = 20;
    private static final int STEPS = 20000;

    private static volatile long last;

    private Watched() {
    }

    /** Arguments: the settings of the recording, pairs of blocks, and rounds of work in a block. */
    public static void main(String[] arguments) throws Exception {
        Configuration settings = Configuration.create(Path.of(arguments[0]));
        int pairs = Integer.parseInt(arguments[1]);
        int rounds = Integer.parseInt(arguments[2]);
        for (int warm = 0; warm < 4; warm++) {
            block(rounds, settings, warm % 2 == 0);
        }
        for (int pair = 0; pair < pairs; pair++) {
            // The order alternates: what drifts hits both alike.
            boolean isFirst = pair % 2 == 0;
            long first = block(rounds, settings, isFirst);
            long second = block(rounds, settings, !isFirst);
            System.out.println((isFirst ? first : second) + " " + (isFirst ? second : first));
        }
    }

    private static long block(int rounds, Configuration settings, boolean isWatched) throws Exception {
        if (!isWatched) {
            return work(rounds);
        }
        try (Recording recording = new Recording(settings)) {
            recording.start();
            long used = work(rounds);
            recording.stop();
            return used;
        }
    }

    /** Returns the processor time of the process. */
    private static long work(int rounds) throws Exception {
        long before = used();
        for (int round = 0; round < rounds; round++) {
            List<Thread> threads = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                threads.add(Thread.startVirtualThread(Watched::compute));
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
        return used() - before;
    }

    private static void compute() {
        long state = 1;
        for (int park = 0; park < PARKS; park++) {
            for (int step = 0; step < STEPS; step++) {
                state = state * 6364136223846793005L + 1442695040888963407L;
                state ^= state >>> 29;
            }
            LockSupport.parkNanos(1000);
        }
        last = state;
    }

    /** By the scheduler's account, in nanoseconds: the JDK counts in ticks of 10 ms. */
    private static long used() throws Exception {
        long sum = 0;
        try (var threads = Files.list(Path.of("/proc/self/task"))) {
            for (Path thread : threads.toList()) {
                String line = Files.readString(thread.resolve("schedstat"));
                sum += Long.parseLong(line.substring(0, line.indexOf(' ')));
            }
        }
        return sum;
    }
}
