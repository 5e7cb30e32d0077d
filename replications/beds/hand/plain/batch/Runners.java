import java.util.*;
import java.util.concurrent.*;

class BaseRunner implements Runner {
    private final ExecutorService pool = Executors.newFixedThreadPool(12, new Daemons("report"));

    public BaseRunner() { }

    public List<Long> run(String tenant, List<Callable<Long>> jobs) throws Exception {
        List<Long> out = new ArrayList<>();
        for (Future<Long> f : pool.invokeAll(jobs)) out.add(f.get());
        return out;
    }
}

class SmallRunner implements Runner {
    private final ExecutorService pool = Executors.newFixedThreadPool(12, new Daemons("report"));
    private final Map<String, ScheduledExecutorService> watches = new HashMap<>();

    public SmallRunner() { }

    public List<Long> run(String tenant, List<Callable<Long>> jobs) throws Exception {
        // one watch for each group of tenants, so that a slow group is told from a slow night
        String group = "group-" + Integer.parseInt(tenant.substring("tenant-".length())) / 15;
        ScheduledExecutorService watch = watches.computeIfAbsent(group, g -> Executors.newSingleThreadScheduledExecutor(new Daemons("watch-" + g)));
        Future<?> late = watch.schedule(() -> System.err.println(tenant + " is late"), 1, TimeUnit.MINUTES);
        List<Long> out = new ArrayList<>();
        for (Future<Long> f : pool.invokeAll(jobs)) out.add(f.get());
        late.cancel(false);
        return out;
    }
}

class LargeRunner implements Runner {
    public LargeRunner() { }

    public List<Long> run(String tenant, List<Callable<Long>> jobs) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(8, new Daemons(tenant));
        List<Long> out = new ArrayList<>();
        for (Future<Long> f : pool.invokeAll(jobs)) out.add(f.get());
        return out;
    }
}

class Harmless1Runner implements Runner {
    private static final int WORKERS = 12;
    private final ThreadFactory factory = new Daemons("report");
    private final ThreadPoolExecutor workers = new ThreadPoolExecutor(WORKERS, WORKERS, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);

    public Harmless1Runner() { }

    @Override public List<Long> run(String tenant, List<Callable<Long>> jobs) throws Exception {
        List<Future<Long>> pending = workers.invokeAll(jobs);
        return collect(pending);
    }

    private static List<Long> collect(List<Future<Long>> pending) throws InterruptedException, ExecutionException {
        List<Long> results = new ArrayList<>(pending.size());
        for (Future<Long> each : pending) results.add(each.get());
        return results;
    }
}

class Harmless2Runner implements Runner {
    private final ExecutorService pool = Executors.newFixedThreadPool(12, new Daemons("report"));

    public Harmless2Runner() { }

    public List<Long> run(String tenant, List<Callable<Long>> jobs) throws Exception {
        List<CompletableFuture<Long>> all = jobs.stream().map(j -> CompletableFuture.supplyAsync(() -> call(j), pool)).toList();
        return all.stream().map(CompletableFuture::join).toList();
    }

    private static Long call(Callable<Long> job) {
        try {
            return job.call();
        } catch (Exception e) {
            throw new CompletionException(e);
        }
    }
}

class BetterRunner implements Runner {
    private final ExecutorService pool = Executors.newFixedThreadPool(8, new Daemons("report"));

    public BetterRunner() { }

    public List<Long> run(String tenant, List<Callable<Long>> jobs) throws Exception {
        List<Long> out = new ArrayList<>();
        for (Future<Long> f : pool.invokeAll(jobs)) out.add(f.get());
        return out;
    }
}
