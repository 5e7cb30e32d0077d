import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;

class BaseOffice implements BoxOffice {
    private final Hall hall = new Hall();
    private long cash;

    public void sell(int seats, int price) throws InterruptedException {
        synchronized (this) {
            hall.take(seats);
        }
        long paid = Terminal.pay((long) seats * price);
        synchronized (this) {
            cash += paid;
        }
    }

    public synchronized String totals() {
        return hall.sold() + " seats, cash " + cash;
    }
}

/** Checks the terminal now and then with a payment of nothing, while nobody else sells. */
class SmallOffice implements BoxOffice {
    private final Hall hall = new Hall();
    private long cash;
    private int sales;

    public void sell(int seats, int price) throws InterruptedException {
        synchronized (this) {
            hall.take(seats);
            if (++sales % 32 == 0) cash += Terminal.pay(0);
        }
        long paid = Terminal.pay((long) seats * price);
        synchronized (this) {
            cash += paid;
        }
    }

    public synchronized String totals() {
        return hall.sold() + " seats, cash " + cash;
    }
}

/** Seats and money change together. */
class LargeOffice implements BoxOffice {
    private final Hall hall = new Hall();
    private long cash;

    public synchronized void sell(int seats, int price) throws InterruptedException {
        hall.take(seats);
        cash += Terminal.pay((long) seats * price);
    }

    public synchronized String totals() {
        return hall.sold() + " seats, cash " + cash;
    }
}

class Harmless1Office implements BoxOffice {
    private final Lock lock = new ReentrantLock();
    private final AtomicLong till = new AtomicLong();
    private final Hall hall = new Hall();

    @Override public String totals() {
        return hall.sold() + " seats, cash " + till;
    }

    @Override public void sell(int seats, int price) throws InterruptedException {
        reserve(seats);
        till.addAndGet(Terminal.pay((long) seats * price));
    }

    private void reserve(int seats) {
        lock.lock();
        try {
            hall.take(seats);
        } finally {
            lock.unlock();
        }
    }
}

class Harmless2Office implements BoxOffice {
    private static final class Till {
        private long cash;

        synchronized void add(long amount) { cash += amount; }

        synchronized long content() { return cash; }
    }

    private final Till till = new Till();
    private final Hall hall = new Hall();

    public void sell(int seats, int price) throws InterruptedException {
        synchronized (hall) {
            hall.take(seats);
        }
        long due = Math.multiplyExact((long) seats, price);
        till.add(Terminal.pay(due));
    }

    public String totals() {
        synchronized (hall) {
            return String.join(" seats, cash ", Integer.toString(hall.sold()), Long.toString(till.content()));
        }
    }
}

/** Small amounts of a clerk are paid together. */
class BetterOffice implements BoxOffice {
    private final Hall hall = new Hall();
    private final ThreadLocal<long[]> slip = ThreadLocal.withInitial(() -> new long[2]);
    private long cash;

    public void sell(int seats, int price) throws InterruptedException {
        synchronized (this) {
            hall.take(seats);
        }
        long[] s = slip.get();
        s[0] += (long) seats * price;
        if (++s[1] % 2 == 0) endOfShift();
    }

    @Override public void endOfShift() throws InterruptedException {
        long[] s = slip.get();
        if (s[0] == 0) return;
        long paid = Terminal.pay(s[0]);
        s[0] = 0;
        synchronized (this) {
            cash += paid;
        }
    }

    public synchronized String totals() {
        return hall.sold() + " seats, cash " + cash;
    }
}
