package buto.probes.jmx.polling;

import java.util.ArrayList;
import java.util.List;
import javax.management.openmbean.CompositeData;

/**
 * The bytes of the heap that were in use just after the last collection, from what a snapshot reads of collectors
 * and then of pools. A pool that the last collection left alone, as most leave the old generation, counts with its
 * use in the first snapshot afterwards. The agent has the same rule.
 */
final class HeapAfterCollection {
    private static final String NONE_YET = "there was no collection yet";

    private final class Pool {
        boolean isHeap;
        boolean hasThreshold;
        long used;
        long after = -1;
        long kept;
    }

    private interface Reader {
        void read(Object value);
    }

    private final Columns columns;
    private final int column;
    private final List<Pool> pools = new ArrayList<>();
    private long collections;
    private long collectionsNow;
    private double known = Double.NaN;

    HeapAfterCollection(Columns columns) {
        this.columns = columns;
        column = columns.of("jvm.memory.heap.used_after_last_gc");
    }

    /** Take the numbers of a collector; all collectors are read before the pools. */
    void addCollector(Bean bean) {
        bean.add("CollectionCount", cell(count -> collectionsNow += Math.max(0, (Long) count)));
    }

    /** Take the numbers of a pool, and keep its own column. */
    void addPool(Bean bean, String name, boolean last) {
        Pool pool = new Pool();
        pools.add(pool);
        int own = columns.of("jvm.memory.used_after_last_gc[" + name + "]");
        bean.add("Usage", cell(usage -> pool.used = member(usage, "used")));
        bean.add("UsageThresholdSupported", cell(supported -> pool.hasThreshold = (Boolean) supported));
        bean.add("CollectionUsage", new AfterCollection(pool, own));
        bean.add("Type", cell(type -> {
            pool.isHeap = "HEAP".equals(type);
            if (last) {
                store();
            }
        }));
    }

    private void store() {
        if (collectionsNow != collections) {
            collections = collectionsNow;
            known = pools.stream().filter(pool -> pool.isHeap).mapToLong(this::used).sum();
        }
        collectionsNow = 0;
        if (Double.isNaN(known)) {
            columns.explain(column, NONE_YET);
        } else {
            columns.set(column, known);
        }
    }

    private long used(Pool pool) {
        if (pool.after < 0) {
            return pool.used;
        }
        boolean wasCollected = pool.after != pool.kept;
        pool.kept = pool.after;
        // Pools for new objects have no usage threshold, and every collection empties them.
        boolean isOnly = pools.stream().filter(each -> each.isHeap).count() == 1;
        return wasCollected || isOnly || !pool.hasThreshold ? pool.after : pool.used;
    }

    private static long member(Object usage, String name) {
        return (Long) ((CompositeData) usage).get(name);
    }

    private static Cell cell(Reader reader) {
        return new Cell() {
            @Override
            public boolean store(Object value) {
                if (value != null) {
                    reader.read(value);
                }
                return true;
            }

            @Override
            public void explain(String reason) {
                // The column of the same attribute has the reason.
            }
        };
    }

    private final class AfterCollection implements Cell {
        private final Pool pool;
        private final int own;
        private boolean wasCollected;

        AfterCollection(Pool pool, int own) {
            this.pool = pool;
            this.own = own;
        }

        @Override
        public boolean store(Object value) {
            if (value == null) {
                explain("no collection empties this pool");
                return true;
            }
            pool.after = member(value, "used");
            // The JVM gives zero before the first collection.
            boolean isEmptied = !pool.hasThreshold && collectionsNow > 0;
            wasCollected |= isEmptied || pool.after > 0 || member(value, "committed") > 0;
            if (wasCollected) {
                columns.set(own, pool.after);
            } else {
                explain(NONE_YET);
            }
            return true;
        }

        @Override
        public void explain(String reason) {
            columns.explain(own, reason);
        }
    }
}
