package jobs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Batches of jobs on pools of threads; some jobs fail and are scheduled once more. */
public final class Main {
    private static final int BATCHES = 14;
    private static final int JOBS = 40;
    static final int THREADS = 3;

    public static void main(String[] args) throws InterruptedException, ExecutionException {
        Parts parts = parts(args[0]);
        long sum = 0;
        for (int batch = 0; batch < BATCHES; batch++) {
            List<Callable<Long>> jobs = new ArrayList<>();
            for (int number = 0; number < JOBS; number++) {
                jobs.add(new Job(batch, number, parts.counts));
            }
            ExecutorService pool = Executors.newFixedThreadPool(THREADS, parts.factory);
            sum += parts.submitting.submit(pool, jobs);
            parts.ending.ended(pool);
            if (batch % 5 == 2) {
                ScheduledExecutorService retries = Executors.newSingleThreadScheduledExecutor(parts.factory);
                sum += retries.schedule(new Job(batch, JOBS, parts.counts), 2, TimeUnit.MILLISECONDS).get();
                parts.ending.retried(retries);
            }
        }
        System.out.println("jobs " + sum + " " + parts.counts.total());
    }

    private record Parts(Ending ending, Submitting submitting, Counts counts, ThreadFactory factory) {}

    private static Parts parts(String version) {
        return switch (version) {
            case "base" -> new Parts(new CleanEnding(), new AllAtOnce(), new MergedCounts(), new Daemons());
            case "small" -> new Parts(new RetryForgettingEnding(), new AllAtOnce(), new MergedCounts(), new Daemons());
            case "large" -> new Parts(new ForgettingEnding(), new AllAtOnce(), new MergedCounts(), new Daemons());
            case "r1" -> new Parts(new CleanEnding(), new Completable(), new MergedCounts(), new Daemons());
            case "r2" -> new Parts(new CleanEnding(), new AllAtOnce(), new AdderCounts(), new Daemons());
            case "r3" -> new Parts(new CleanEnding(), new AllAtOnce(), new MergedCounts(), new NamedDaemons());
            case "r4" -> new Parts(new WaitingEnding(), new AllAtOnce(), new MergedCounts(), new Daemons());
            default -> throw new IllegalArgumentException(version);
        };
    }
}

/** Sorts random numbers and counts them by their last digit. */
final class Job implements Callable<Long> {
    private final int batch;
    private final int number;
    private final Counts counts;

    Job(int batch, int number, Counts counts) {
        this.batch = batch;
        this.number = number;
        this.counts = counts;
    }

    @Override
    public Long call() {
        Random random = new Random(batch * 1000L + number);
        long[] values = new long[20_000];
        for (int place = 0; place < values.length; place++) {
            values[place] = random.nextLong() >>> 20;
        }
        Arrays.sort(values);
        long sum = 0;
        for (int place = 0; place < values.length; place += 200) {
            counts.count((int) (values[place] % 10));
            sum += values[place] & 0xff;
        }
        return sum;
    }
}

interface Counts {
    void count(int digit);

    long total();
}

final class MergedCounts implements Counts {
    private final Map<Integer, Long> counts = new ConcurrentHashMap<>();

    @Override
    public void count(int digit) {
        counts.merge(digit, 1L, Long::sum);
    }

    @Override
    public long total() {
        long total = 0;
        for (long count : counts.values()) {
            total += count;
        }
        return total;
    }
}

final class AdderCounts implements Counts {
    private final Map<Integer, LongAdder> counts = new ConcurrentHashMap<>();

    @Override
    public void count(int digit) {
        counts.computeIfAbsent(digit, key -> new LongAdder()).increment();
    }

    @Override
    public long total() {
        return counts.values().stream().mapToLong(LongAdder::sum).sum();
    }
}

final class Daemons implements ThreadFactory {
    @Override
    public Thread newThread(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    }
}

final class NamedDaemons implements ThreadFactory {
    private final AtomicInteger next = new AtomicInteger(1);

    @Override
    public Thread newThread(Runnable task) {
        Thread thread = new Thread(task, "job-" + next.getAndIncrement());
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler((one, error) -> System.err.println(one.getName() + ": " + error));
        return thread;
    }
}

interface Submitting {
    long submit(ExecutorService pool, List<Callable<Long>> jobs) throws InterruptedException, ExecutionException;
}

final class AllAtOnce implements Submitting {
    @Override
    public long submit(ExecutorService pool, List<Callable<Long>> jobs)
            throws InterruptedException, ExecutionException {
        long sum = 0;
        for (Future<Long> job : pool.invokeAll(jobs)) {
            sum += job.get();
        }
        return sum;
    }
}

final class Completable implements Submitting {
    @Override
    public long submit(ExecutorService pool, List<Callable<Long>> jobs) {
        List<CompletableFuture<Long>> running = new ArrayList<>();
        for (Callable<Long> job : jobs) {
            running.add(CompletableFuture.supplyAsync(() -> called(job), pool));
        }
        return running.stream().mapToLong(CompletableFuture::join).sum();
    }

    private static long called(Callable<Long> job) {
        try {
            return job.call();
        } catch (Exception error) {
            throw new IllegalStateException(error);
        }
    }
}

/** What is done with a pool after its batch. */
interface Ending {
    void ended(ExecutorService pool) throws InterruptedException;

    void retried(ExecutorService retries) throws InterruptedException;
}

final class CleanEnding implements Ending {
    @Override
    public void ended(ExecutorService pool) {
        pool.shutdown();
    }

    @Override
    public void retried(ExecutorService retries) {
        retries.shutdown();
    }
}

final class WaitingEnding implements Ending {
    @Override
    public void ended(ExecutorService pool) throws InterruptedException {
        close(pool);
    }

    @Override
    public void retried(ExecutorService retries) throws InterruptedException {
        close(retries);
    }

    private static void close(ExecutorService executor) throws InterruptedException {
        executor.shutdown();
        if (!executor.awaitTermination(10, TimeUnit.SECONDS)) {
            System.err.println("jobs still run");
            executor.shutdownNow();
        }
    }
}

/** Leaves the threads of retries. */
final class RetryForgettingEnding implements Ending {
    @Override
    public void ended(ExecutorService pool) {
        pool.shutdown();
    }

    @Override
    public void retried(ExecutorService retries) {}
}

final class ForgettingEnding implements Ending {
    @Override
    public void ended(ExecutorService pool) {}

    @Override
    public void retried(ExecutorService retries) {}
}
