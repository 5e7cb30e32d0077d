package buto.probes.agent;

/** Delays the exit for a bounded time, until the sampler has sent everything. */
final class ExitHook extends Thread {
    private final Sampler sampler;
    private final long longestNanos;

    ExitHook(Sampler sampler, long longestNanos) {
        super(Sampler.topGroup(), "buto-exit");
        this.sampler = sampler;
        this.longestNanos = longestNanos;
        setUncaughtExceptionHandler(sampler);
    }

    @Override
    public void run() {
        sampler.finish(System.nanoTime());
        long half = longestNanos / 2000000L + 1L;
        try {
            sampler.join(half);
            if (sampler.isAlive()) {
                sampler.explainDelay();
                sampler.join(half);
            }
        } catch (InterruptedException impatient) {
            // Then the exit is not delayed.
        }
    }
}
