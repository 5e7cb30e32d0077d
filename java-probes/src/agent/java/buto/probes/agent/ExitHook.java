package buto.probes.agent;

/** Delays the exit for a bounded time, until the sampler has sent everything. */
final class ExitHook extends Thread {
    /** How long the exit may wait for a full collection and a count of all objects: seconds in a large heap. */
    private static final long LONGEST_LIVE_SET_MILLIS = 60000L;

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
            if (sampler.isAlive() && !sampler.isMeasuring()) {
                sampler.explainDelay();
                sampler.join(half);
            }
            if (sampler.isMeasuring()) {
                // Ends earlier: after it the sampler waits for the collector no longer than before.
                sampler.join(LONGEST_LIVE_SET_MILLIS);
            }
        } catch (InterruptedException impatient) {
            // Then the exit is not delayed.
        }
    }
}
