import java.util.*;

final class BaseIndex implements OrderIndex {
    private final Map<Long, Order> byId = new HashMap<>();

    @Override public void opened(Order o) {
        byId.put(o.id, o);
    }

    @Override public void closed(Order o, boolean byClient) {
        byId.remove(o.id);
    }

    @Override public Order find(long id) {
        return byId.get(id);
    }
}

final class SmallIndex implements OrderIndex {
    private final Map<Long, Order> byId = new HashMap<>();
    /** References of cancelled odd lots, so that support can tell "too late" from "never seen". */
    private final Set<String> withdrawn = new HashSet<>();

    @Override public void opened(Order o) {
        byId.put(o.id, o);
    }

    @Override public void closed(Order o, boolean byClient) {
        byId.remove(o.id);
        if (byClient && o.open < 16) withdrawn.add(o.ref);
    }

    @Override public Order find(long id) {
        return byId.get(id);
    }
}

final class LargeIndex implements OrderIndex {
    private final Map<Long, Order> byId = new HashMap<>();
    private final Set<Long> done = new HashSet<>();

    @Override public void opened(Order o) {
        byId.put(o.id, o);
    }

    @Override public void closed(Order o, boolean byClient) {
        done.add(o.id);
    }

    @Override public Order find(long id) {
        return done.contains(id) ? null : byId.get(id);
    }
}

final class Harmless1Index implements OrderIndex {
    private final Map<Long, Order> restingBuys = new HashMap<>();
    private final Map<Long, Order> restingSells = new HashMap<>();

    private Map<Long, Order> sideOf(Order order) {
        return order.buy ? restingBuys : restingSells;
    }

    @Override public void opened(Order order) {
        sideOf(order).put(order.id, order);
    }

    @Override public void closed(Order order, boolean byClient) {
        sideOf(order).remove(order.id);
    }

    @Override public Order find(long id) {
        Order order = restingBuys.get(id);
        return order != null ? order : restingSells.get(id);
    }
}

final class Harmless2Index implements OrderIndex {
    private final Store store = new Store();

    @Override public Order find(long id) {
        return store.lookup(id).orElse(null);
    }

    @Override public void closed(Order o, boolean byClient) {
        store.forget(o.id);
    }

    @Override public void opened(Order o) {
        store.keep(o);
    }

    private static final class Store {
        private final Map<Long, Order> orders = new HashMap<>();

        void keep(Order o) {
            if (orders.putIfAbsent(o.id, o) != null) throw new IllegalStateException("twice: " + o.id);
        }

        void forget(long id) {
            orders.remove(id);
        }

        Optional<Order> lookup(long id) {
            return Optional.ofNullable(orders.get(id));
        }
    }
}

/** Open addressing over the orders themselves: no boxed key and no entry per order. */
final class BetterIndex implements OrderIndex {
    private Order[] slots = new Order[1 << 12];
    private int used;

    private static int spread(long id, int mask) {
        return (int) ((id * 0x9E3779B97F4A7C15L) >>> 32) & mask;
    }

    @Override public void opened(Order o) {
        if (++used * 3 > slots.length * 2) {
            Order[] old = slots;
            slots = new Order[old.length * 2];
            for (Order e : old) if (e != null) place(e);
        }
        place(o);
    }

    private void place(Order o) {
        int mask = slots.length - 1, i = spread(o.id, mask);
        while (slots[i] != null) i = (i + 1) & mask;
        slots[i] = o;
    }

    @Override public void closed(Order o, boolean byClient) {
        int mask = slots.length - 1, i = spread(o.id, mask);
        while (slots[i] != o) i = (i + 1) & mask;
        slots[i] = null;
        used--;
        for (int j = (i + 1) & mask; slots[j] != null; j = (j + 1) & mask) {
            Order moved = slots[j];
            slots[j] = null;
            place(moved);
        }
    }

    @Override public Order find(long id) {
        int mask = slots.length - 1;
        for (int i = spread(id, mask); slots[i] != null; i = (i + 1) & mask) if (slots[i].id == id) return slots[i];
        return null;
    }
}
