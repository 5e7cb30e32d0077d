import java.util.*;
import java.util.concurrent.*;

/** Eight connections for the whole run; a coordinator thread for each letter. */
class Base implements Sender {
    private final Relay relay;
    private final ExecutorService connections = Executors.newFixedThreadPool(8);

    Base(Relay relay) { this.relay = relay; }

    public void send(List<Mail> letter) throws InterruptedException {
        Thread t = new Thread(() -> {
            List<Callable<Void>> jobs = new ArrayList<>();
            for (Mail m : letter) jobs.add(() -> deliver(m));
            try {
                connections.invokeAll(jobs);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "letter");
        t.start();
        t.join();
    }

    private Void deliver(Mail m) throws InterruptedException {
        while (!relay.offer(m)) Thread.sleep(3);
        return null;
    }

    public void close() throws InterruptedException {
        connections.shutdown();
        connections.awaitTermination(10, TimeUnit.SECONDS);
    }
}

/** Retries apart, so that a refused mail does not hold its connection. */
class Small implements Sender {
    private final Relay relay;
    private final ExecutorService connections = Executors.newFixedThreadPool(8);

    Small(Relay relay) { this.relay = relay; }

    public void send(List<Mail> letter) throws InterruptedException {
        Thread t = new Thread(() -> {
            List<Callable<Void>> jobs = new ArrayList<>();
            Queue<Thread> retries = new ConcurrentLinkedQueue<>();
            for (Mail m : letter) jobs.add(() -> deliver(m, retries));
            try {
                connections.invokeAll(jobs);
                for (Thread r : retries) r.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "letter");
        t.start();
        t.join();
    }

    private Void deliver(Mail m, Queue<Thread> retries) throws InterruptedException {
        if (!relay.offer(m)) {
            Thread r = new Thread(() -> retry(m), "retry");
            r.start();
            retries.add(r);
        }
        return null;
    }

    private void retry(Mail m) {
        try {
            do Thread.sleep(3); while (!relay.offer(m));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public void close() throws InterruptedException {
        connections.shutdown();
        connections.awaitTermination(10, TimeUnit.SECONDS);
    }
}

/** A thread for each mail, eight at a time. */
class Large implements Sender {
    private final Relay relay;
    private final Semaphore slots = new Semaphore(8);

    Large(Relay relay) { this.relay = relay; }

    public void send(List<Mail> letter) throws InterruptedException {
        List<Thread> all = new ArrayList<>();
        for (Mail m : letter) {
            slots.acquire();
            Thread t = new Thread(() -> deliver(m), "mail-" + m.id());
            t.start();
            all.add(t);
        }
        for (Thread t : all) t.join();
    }

    private void deliver(Mail m) {
        try {
            while (!relay.offer(m)) Thread.sleep(3);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            slots.release();
        }
    }

    public void close() { }
}

class Harmless1 implements Sender {
    private static final int CONNECTIONS = 8;
    private final ExecutorService pool = Executors.newFixedThreadPool(CONNECTIONS);
    private final Relay relay;

    Harmless1(Relay relay) { this.relay = relay; }

    @Override public void close() throws InterruptedException {
        pool.shutdown();
        pool.awaitTermination(10, TimeUnit.SECONDS);
    }

    @Override public void send(List<Mail> letter) throws InterruptedException {
        Thread coordinator = new Thread(new Letter(letter), "letter");
        coordinator.start();
        coordinator.join();
    }

    private final class Letter implements Runnable {
        private final List<Mail> mails;

        Letter(List<Mail> mails) { this.mails = mails; }

        @Override public void run() {
            CountDownLatch open = new CountDownLatch(mails.size());
            for (Mail m : mails) pool.execute(() -> {
                deliver(m);
                open.countDown();
            });
            try {
                open.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void deliver(Mail m) {
        try {
            while (!relay.offer(m)) Thread.sleep(3);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

class Harmless2 implements Sender {
    private final Relay relay;
    private final ExecutorService connections = new ThreadPoolExecutor(8, 8, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>());

    Harmless2(Relay relay) { this.relay = relay; }

    public void send(List<Mail> letter) throws InterruptedException {
        Thread t = new Thread(() -> run(letter));
        t.setName("letter");
        t.start();
        t.join();
    }

    private void run(List<Mail> letter) {
        List<Callable<Boolean>> jobs = letter.stream().<Callable<Boolean>>map(m -> () -> delivered(m)).toList();
        try {
            connections.invokeAll(jobs);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean delivered(Mail m) throws InterruptedException {
        boolean done = relay.offer(m);
        while (!done) {
            Thread.sleep(3);
            done = relay.offer(m);
        }
        return true;
    }

    public void close() throws InterruptedException {
        connections.shutdown();
        connections.awaitTermination(10, TimeUnit.SECONDS);
    }
}

/** The caller waits itself: no coordinator threads. */
class Better implements Sender {
    private final Relay relay;
    private final ExecutorService connections = Executors.newFixedThreadPool(8);

    Better(Relay relay) { this.relay = relay; }

    public void send(List<Mail> letter) throws InterruptedException {
        List<Callable<Void>> jobs = new ArrayList<>();
        for (Mail m : letter) jobs.add(() -> deliver(m));
        connections.invokeAll(jobs);
    }

    private Void deliver(Mail m) throws InterruptedException {
        while (!relay.offer(m)) Thread.sleep(3);
        return null;
    }

    public void close() throws InterruptedException {
        connections.shutdown();
        connections.awaitTermination(10, TimeUnit.SECONDS);
    }
}
