import java.util.*;

/** Replays a day of limit orders through a matching desk and prints the totals of the day. */
public class Main {
    private static Desk desk;

    public static void main(String[] args) throws Exception {
        String v = args[0];
        String name = Character.toUpperCase(v.charAt(0)) + v.substring(1) + "Index";
        desk = new Desk((OrderIndex) Class.forName(name).getDeclaredConstructor().newInstance());
        Random day = new Random(20240311);
        for (long id = 1; id <= 420_000; id++) {
            int fair = 10_000 + (int) (400 * Math.sin(id / 9000.0));
            boolean buy = day.nextBoolean();
            int price = fair + (buy ? -1 : 1) * (day.nextInt(120) - 25);
            desk.submit(new Order(id, buy, price, 1 + day.nextInt(90), "C" + day.nextInt(500) + "-" + id));
            if (day.nextInt(100) < 55) desk.cancel(Math.max(1, id - day.nextInt(30_000)));
        }
        System.out.println("trades " + desk.trades + " volume " + desk.volume);
        System.out.println("cancelled " + desk.cancelled + " unknown " + desk.unknown);
        System.out.println("resting " + desk.resting());
    }
}

final class Order {
    final long id;
    final boolean buy;
    final int price;
    int open;
    final String ref;

    Order(long id, boolean buy, int price, int open, String ref) {
        this.id = id;
        this.buy = buy;
        this.price = price;
        this.open = open;
        this.ref = ref;
    }
}

/** Finds orders by id, for cancel requests. */
interface OrderIndex {
    void opened(Order o);

    void closed(Order o, boolean byClient);

    /** The resting order with that id, or null. */
    Order find(long id);
}

/** Price levels and matching. */
final class Desk {
    private final TreeMap<Integer, ArrayDeque<Order>> bids = new TreeMap<>(Comparator.reverseOrder());
    private final TreeMap<Integer, ArrayDeque<Order>> asks = new TreeMap<>();
    private final OrderIndex index;
    long trades, volume, cancelled, unknown;

    Desk(OrderIndex index) {
        this.index = index;
    }

    void submit(Order o) {
        TreeMap<Integer, ArrayDeque<Order>> other = o.buy ? asks : bids;
        while (o.open > 0 && !other.isEmpty()) {
            Map.Entry<Integer, ArrayDeque<Order>> best = other.firstEntry();
            if (o.buy ? best.getKey() > o.price : best.getKey() < o.price) break;
            Order first = best.getValue().peekFirst();
            int q = Math.min(first.open, o.open);
            first.open -= q;
            o.open -= q;
            trades++;
            volume += q;
            if (first.open == 0) {
                best.getValue().pollFirst();
                if (best.getValue().isEmpty()) other.remove(best.getKey());
                index.closed(first, false);
            }
        }
        if (o.open > 0) {
            (o.buy ? bids : asks).computeIfAbsent(o.price, p -> new ArrayDeque<>()).addLast(o);
            index.opened(o);
        }
    }

    void cancel(long id) {
        Order o = index.find(id);
        if (o == null) {
            unknown++;
            return;
        }
        TreeMap<Integer, ArrayDeque<Order>> side = o.buy ? bids : asks;
        ArrayDeque<Order> level = side.get(o.price);
        level.remove(o);
        if (level.isEmpty()) side.remove(o.price);
        index.closed(o, true);
        cancelled++;
    }

    long resting() {
        long n = 0;
        for (ArrayDeque<Order> q : bids.values()) n += q.size();
        for (ArrayDeque<Order> q : asks.values()) n += q.size();
        return n;
    }
}
