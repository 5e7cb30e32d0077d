import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

final class TerminalBetter implements Terminal {
    private static final int DESKS = 4;
    private static final int PART = 1_000;
    private static final int LETTERS = 3_000;

    private final ExecutorService desks = Executors.newFixedThreadPool(DESKS, named("desk"));
    private final ExecutorService postman = Executors.newSingleThreadExecutor(named("post"));
    private final Map<String, Deque<String>> letters = new HashMap<>();
    private final ScheduledExecutorService board = Executors.newSingleThreadScheduledExecutor(named("board"));
    private Future<?> showing;
    private final AtomicLong copied = new AtomicLong();
    private volatile int shown;
    private long earned;
    private long cars;

    TerminalBetter() {
        for (String harbour : Requests.HARBOURS) {
            letters.put(harbour, new ArrayDeque<>(LETTERS + 1));
        }
    }

    private static ThreadFactory named(String name) {
        return task -> {
            Thread t = new Thread(task, name);
            t.setDaemon(true);
            return t;
        };
    }

    @Override public void timetable(int number) {
        if (showing != null) showing.cancel(false);
        showing = board.scheduleAtFixedRate(() -> shown = number, 0, 2, TimeUnit.SECONDS);
    }

    @Override public void day(List<String> requests) throws Exception {
        List<Callable<List<Booking>>> parts = new ArrayList<>();
        for (int i = 0; i < requests.size(); i += PART) {
            List<String> part = requests.subList(i, Math.min(requests.size(), i + PART));
            parts.add(() -> book(part));
        }
        List<Booking> booked = new ArrayList<>(requests.size());
        for (Future<List<Booking>> f : desks.invokeAll(parts)) booked.addAll(f.get());
        Map<String, List<Booking>> byHarbour = new HashMap<>();
        for (Booking b : booked) {
            earned += b.price();
            cars += b.cars();
            byHarbour.computeIfAbsent(b.harbour(), h -> new ArrayList<>()).add(b);
        }
        List<Future<?>> posts = new ArrayList<>();
        for (String harbour : Requests.HARBOURS) {
            List<Booking> of = byHarbour.getOrDefault(harbour, List.of());
            posts.add(postman.submit(() -> post(harbour, of)));
        }
        for (Future<?> f : posts) f.get();
    }

    private static List<Booking> book(List<String> part) {
        List<Booking> out = new ArrayList<>(part.size());
        for (String line : part) out.add(Booking.parse(line));
        return out;
    }

    private void post(String harbour, List<Booking> bookings) {
        Deque<String> of = letters.get(harbour);
        long copies = 0;
        for (Booking b : bookings) {
            of.addLast(b.letter());
            copies += b.copy().length();
            if (of.size() > LETTERS) of.removeFirst();
        }
        copied.addAndGet(copies);
    }

    @Override public List<String> summary() {
        long length = 0;
        for (Deque<String> of : letters.values()) {
            for (String letter : of) length += letter.length();
        }
        return List.of("earned " + earned, "cars " + cars, "letters kept " + length, "copies " + copied.get());
    }
}
