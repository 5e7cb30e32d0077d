package buto.testprograms.changes.servers;

import buto.testprograms.changes.Change;
import buto.testprograms.changes.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/** Subscribers to prices. The regression: some subscriptions outlive their subscriber. */
public final class Market implements Workload {
    private static final int LASTING = 100;
    private final List<IntConsumer> listeners = new ArrayList<>();
    private final Change change;
    private final int leftEvery;
    private long checksum;

    public Market(Change change) {
        this.change = change;
        this.leftEvery = change.number(Integer.MAX_VALUE, 40, 8);
        for (int number = 0; number < LASTING; number++) {
            listeners.add(new Chart());
        }
    }

    private static final class Chart implements IntConsumer {
        private final int[] prices = new int[256];
        private int seen;

        @Override
        public void accept(int price) {
            prices[seen++ % prices.length] = price;
        }
    }

    @Override
    public void request(int number) {
        Chart chart = new Chart();
        listeners.add(chart);
        publish(number);
        checksum += chart.prices[0];
        leave(chart, number);
    }

    private void publish(int price) {
        if (change == Change.REFACTORED) {
            for (int index = 0; index < listeners.size(); index++) {
                listeners.get(index).accept(price);
            }
        } else {
            for (IntConsumer listener : listeners) {
                listener.accept(price);
            }
        }
    }

    private void leave(Chart chart, int number) {
        if (number % leftEvery != leftEvery - 1) {
            listeners.remove(chart);
        }
    }

    @Override
    public long checksum() {
        return checksum;
    }
}
