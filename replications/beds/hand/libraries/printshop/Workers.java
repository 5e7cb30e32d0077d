import java.util.*;
import org.apache.commons.pool2.ObjectPool;

class WorkerBase implements Worker {
    private final ObjectPool<Printer> printers;

    WorkerBase(ObjectPool<Printer> printers) { this.printers = printers; }

    public void work(int worker, int job) throws Exception {
        int sheets = Worker.sheets(worker, job);
        Printer p = printers.borrowObject();
        try {
            p.print(sheets);
        } finally {
            printers.returnObject(p);
        }
        Main.fold(sheets);
    }
}

/** A cover sheet for every eighth job. */
class WorkerSmall implements Worker {
    private final ObjectPool<Printer> printers;

    WorkerSmall(ObjectPool<Printer> printers) { this.printers = printers; }

    public void work(int worker, int job) throws Exception {
        int sheets = Worker.sheets(worker, job);
        Printer p = printers.borrowObject();
        try {
            if (job % 8 == 5) p.print(0);
            p.print(sheets);
        } finally {
            printers.returnObject(p);
        }
        Main.fold(sheets);
    }
}

/** Fold while the printer is at hand. */
class WorkerLarge implements Worker {
    private final ObjectPool<Printer> printers;

    WorkerLarge(ObjectPool<Printer> printers) { this.printers = printers; }

    public void work(int worker, int job) throws Exception {
        int sheets = Worker.sheets(worker, job);
        Printer p = printers.borrowObject();
        try {
            p.print(sheets);
            Main.fold(sheets);
        } finally {
            printers.returnObject(p);
        }
    }
}

class WorkerHarmless1 implements Worker {
    private final ObjectPool<Printer> pool;

    WorkerHarmless1(ObjectPool<Printer> pool) { this.pool = pool; }

    private interface Use {
        void of(Printer p) throws Exception;
    }

    private void withPrinter(Use use) throws Exception {
        Printer printer = pool.borrowObject();
        try {
            use.of(printer);
        } finally {
            pool.returnObject(printer);
        }
    }

    @Override public void work(int worker, int job) throws Exception {
        final int count = Worker.sheets(worker, job);
        withPrinter(p -> p.print(count));
        Main.fold(count);
    }
}

class WorkerHarmless2 implements Worker {
    private record Lease(ObjectPool<Printer> from, Printer printer) implements AutoCloseable {
        static Lease of(ObjectPool<Printer> pool) throws Exception {
            return new Lease(pool, pool.borrowObject());
        }

        @Override public void close() throws Exception {
            from.returnObject(printer);
        }
    }

    private final ObjectPool<Printer> printers;

    WorkerHarmless2(ObjectPool<Printer> printers) { this.printers = Objects.requireNonNull(printers); }

    public void work(int worker, int job) throws Exception {
        int sheets = Worker.sheets(worker, job);
        try (Lease lease = Lease.of(printers)) {
            lease.printer().print(sheets);
        }
        Main.fold(sheets);
    }
}

/** Small jobs wait for the next one and are printed together with it. */
class WorkerBetter implements Worker {
    private final ObjectPool<Printer> printers;
    private final int[] waiting = new int[6];

    WorkerBetter(ObjectPool<Printer> printers) { this.printers = printers; }

    public void work(int worker, int job) throws Exception {
        waiting[worker] += Worker.sheets(worker, job);
        if (waiting[worker] >= 12) closeDay(worker);
    }

    @Override public void closeDay(int worker) throws Exception {
        int sheets = waiting[worker];
        if (sheets == 0) return;
        waiting[worker] = 0;
        Printer p = printers.borrowObject();
        try {
            p.print(sheets);
        } finally {
            printers.returnObject(p);
        }
        Main.fold(sheets);
    }
}
