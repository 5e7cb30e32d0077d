package buto.testprograms.changes.servers;

import buto.testprograms.changes.Change;
import buto.testprograms.changes.Workload;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Orders with prices. The regression: messages are composed though nobody reads them. */
public final class Checkout implements Workload {
    private static final int ITEMS = 30;
    private final Logger logger = Logger.getLogger("checkout");
    private final Change change;
    private final int logged;
    private long checksum;

    public Checkout(Change change) {
        this.change = change;
        this.logged = change.number(0, 3, 30);
    }

    @Override
    public void request(int number) {
        long total = 0;
        for (int item = 0; item < ITEMS; item++) {
            long price = priceOf(number, item);
            trace(number, item, price);
            total += price;
        }
        checksum += total;
        receipt(number, total);
    }

    private long priceOf(int number, int item) {
        if (change == Change.REFACTORED) {
            return discounted(number * 31L + item * 17L);
        }
        long price = number * 31L + item * 17L;
        return price - price % 9;
    }

    private static long discounted(long price) {
        return price - price % 9;
    }

    private void trace(int number, int item, long price) {
        if (item < logged) {
            logger.fine("order " + number + ": item " + item + " costs " + price);
        } else if (logger.isLoggable(Level.FINE)) {
            logger.fine("order " + number + ": item " + item + " costs " + price);
        }
    }

    private void receipt(int number, long total) {
        checksum += String.format("%08d: %d.%02d", number, total / 100, total % 100).length();
    }

    @Override
    public long checksum() {
        return checksum;
    }
}
