package buto.testprograms.changes.servers;

import buto.testprograms.changes.Change;
import buto.testprograms.changes.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Stock that four workers count. The regression: a lock is held while the work is done. */
public final class Inventory implements Workload {
    private static final int WORKERS = 4;
    private final ExecutorService workers = Executors.newFixedThreadPool(WORKERS);
    private final Object lock = new Object();
    private final Change change;
    private final int lockedOfTen;
    private long counted;

    public Inventory(Change change) {
        this.change = change;
        this.lockedOfTen = change.number(0, 2, 10);
    }

    @Override
    public void request(int number) throws Exception {
        List<Future<?>> counts = new ArrayList<>();
        for (int shelf = 0; shelf < WORKERS; shelf++) {
            int of = shelf;
            counts.add(workers.submit(() -> count(number, of)));
        }
        for (Future<?> count : counts) {
            count.get();
        }
    }

    private void count(int number, int shelf) {
        if (number % 10 < lockedOfTen) {
            synchronized (lock) {
                counted += stockOf(number, shelf);
            }
            return;
        }
        long stock = stockOf(number, shelf);
        synchronized (lock) {
            counted += stock;
        }
    }

    private long stockOf(int number, int shelf) {
        long stock = shelf;
        int steps = 20_000;
        if (change == Change.REFACTORED) {
            while (steps-- > 0) {
                stock = next(stock, number);
            }
            return stock & 0xff;
        }
        for (int step = 0; step < steps; step++) {
            stock = next(stock, number);
        }
        return stock & 0xff;
    }

    private static long next(long stock, int number) {
        return stock * 6364136223846793005L + number;
    }

    @Override
    public long checksum() {
        return counted;
    }

    @Override
    public void close() {
        workers.shutdown();
    }
}
