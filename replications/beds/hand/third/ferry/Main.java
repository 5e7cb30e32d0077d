import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A ferry line: four clerks take bookings for the sailings of two routes. */
public class Main {
    static final int SAILINGS = 8;

    public static void main(String[] args) throws Exception {
        Office office = Choice.of(Office.class, "Office", args[0]);
        Random random = new Random(33);
        List<List<Booking>> clerks = new ArrayList<>();
        int number = 0;
        for (int clerk = 0; clerk < 4; clerk++) {
            List<Booking> list = new ArrayList<>();
            for (int i = 0; i < 40; i++, number++) {
                int sailing = (i + clerk) % SAILINGS;
                list.add(new Booking(number, sailing % 2, sailing, 1 + random.nextInt(6), i % 20 == 4, i % 5 == 2));
            }
            clerks.add(list);
        }
        List<Thread> threads = new ArrayList<>();
        ExecutorService pool = Executors.newFixedThreadPool(clerks.size(), task -> {
            Thread thread = new Thread(task, "clerk");
            threads.add(thread);
            return thread;
        });
        List<Future<Integer>> results = new ArrayList<>();
        for (List<Booking> list : clerks) {
            results.add(pool.submit(() -> {
                int done = 0;
                for (Booking b : list) if (office.book(b)) done++;
                return done;
            }));
        }
        int done = 0;
        for (Future<Integer> r : results) done += r.get();
        pool.shutdown();
        for (Thread thread : threads) thread.join();
        System.out.println("bookings " + number + " confirmed " + done);
        System.out.println("taken " + IntStream.range(0, SAILINGS).mapToObj(s -> String.valueOf(office.taken(s))).collect(Collectors.joining(" ")));
    }
}
