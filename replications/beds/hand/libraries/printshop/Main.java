import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.commons.pool2.*;
import org.apache.commons.pool2.impl.*;

/** Six workers share two printers: printing takes a while, and so does folding what was printed. */
public class Main {
    static final AtomicLong SHEETS = new AtomicLong(), FOLDED = new AtomicLong();

    public static void main(String[] args) throws Exception {
        GenericObjectPoolConfig<Printer> config = new GenericObjectPoolConfig<>();
        config.setMaxTotal(2);
        config.setJmxEnabled(false);
        try (GenericObjectPool<Printer> printers = new GenericObjectPool<>(new PrinterFactory(), config)) {
            Worker worker = make(args[0], printers);
            ExecutorService hall = Executors.newFixedThreadPool(6);
            List<Future<?>> days = new ArrayList<>();
            for (int w = 0; w < 6; w++) {
                int id = w;
                days.add(hall.submit(() -> {
                    for (int job = 0; job < 60; job++) worker.work(id, job);
                    worker.closeDay(id);
                    return null;
                }));
            }
            for (Future<?> d : days) d.get();
            hall.shutdown();
            System.out.println(SHEETS + " sheets printed, " + FOLDED + " folded, printers " + printers.getCreatedCount());
        }
    }

    private static Worker make(String version, ObjectPool<Printer> printers) throws ReflectiveOperationException {
        String name = "Worker" + version.substring(0, 1).toUpperCase() + version.substring(1);
        return (Worker) Class.forName(name).getDeclaredConstructor(ObjectPool.class).newInstance(printers);
    }

    static void fold(int sheets) throws InterruptedException {
        Thread.sleep(3);
        FOLDED.addAndGet(sheets);
    }
}

interface Worker {
    void work(int worker, int job) throws Exception;

    default void closeDay(int worker) throws Exception { }

    static int sheets(int worker, int job) {
        return 1 + (worker * 7 + job * 3) % 20;
    }
}

final class Printer {
    void print(int sheets) throws InterruptedException {
        Thread.sleep(4);
        Main.SHEETS.addAndGet(sheets);
    }
}

final class PrinterFactory extends BasePooledObjectFactory<Printer> {
    @Override public Printer create() { return new Printer(); }

    @Override public PooledObject<Printer> wrap(Printer p) { return new DefaultPooledObject<>(p); }
}
