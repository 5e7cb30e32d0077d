package buto.testprograms.changes.servers;

import buto.testprograms.changes.Change;
import buto.testprograms.changes.Workload;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Mails sent by a pool of four threads. The regression: some get a thread of their own, which stays. */
public final class Mailer implements Workload {
    private final ExecutorService pool = Executors.newFixedThreadPool(4);
    private final CountDownLatch end = new CountDownLatch(1);
    private final Change change;
    private final int ownEvery;
    private long checksum;

    public Mailer(Change change) {
        this.change = change;
        this.ownEvery = change.number(Integer.MAX_VALUE, 1000, 160);
    }

    @Override
    public void request(int number) throws Exception {
        if (number % ownEvery == ownEvery - 1) {
            sendAlone(number);
        } else {
            send(number);
        }
        checksum += number;
    }

    private void send(int number) throws Exception {
        if (change == Change.REFACTORED) {
            pool.submit(() -> {
                compose(number);
            }).get();
        } else {
            pool.submit(() -> compose(number)).get();
        }
    }

    private void sendAlone(int number) {
        Thread sender = new Thread(() -> {
            compose(number);
            rest();
        }, "sender-" + number);
        sender.setDaemon(true);
        sender.start();
    }

    private void rest() {
        try {
            end.await();
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    private static int compose(int number) {
        StringBuilder text = new StringBuilder("Dear customer ").append(number);
        for (int line = 0; line < 20; line++) {
            text.append("\nyour item ").append(line).append(" is on its way");
        }
        return text.length();
    }

    @Override
    public long checksum() {
        return checksum;
    }

    @Override
    public void close() {
        end.countDown();
        pool.shutdown();
    }
}
