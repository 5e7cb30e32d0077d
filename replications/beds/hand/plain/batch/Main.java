import java.util.*;
import java.util.concurrent.*;
import java.util.zip.Adler32;

/** The nightly batch: sixty tenants, each with a handful of report jobs. */
public class Main {
    static Runner runner; // stays up for the next night

    public static void main(String[] args) throws Exception {
        String v = args[0];
        runner = (Runner) Class.forName(v.substring(0, 1).toUpperCase(Locale.ROOT) + v.substring(1) + "Runner").getConstructor().newInstance();
        long sum = 0;
        int jobs = 0;
        for (int tenant = 0; tenant < 60; tenant++) {
            List<Callable<Long>> batch = new ArrayList<>();
            for (int j = 0; j < 8; j++) batch.add(new Report(tenant * 100 + j));
            for (long x : runner.run("tenant-" + tenant, batch)) sum += x;
            jobs += batch.size();
        }
        System.out.println(jobs + " reports, digest " + sum);
    }
}

interface Runner {
    List<Long> run(String tenant, List<Callable<Long>> jobs) throws Exception;
}

record Report(int seed) implements Callable<Long> {
    @Override public Long call() throws Exception {
        byte[] page = new byte[40_000];
        new Random(seed).nextBytes(page);
        Adler32 a = new Adler32();
        for (int i = 0; i < 20; i++) a.update(page);
        Thread.sleep(4); // the printer
        return a.getValue();
    }
}

class Daemons implements ThreadFactory {
    private final String prefix;
    private int n;

    Daemons(String prefix) {
        this.prefix = prefix;
    }

    @Override public synchronized Thread newThread(Runnable r) {
        Thread t = new Thread(r, prefix + "-" + ++n);
        t.setDaemon(true);
        return t;
    }
}
