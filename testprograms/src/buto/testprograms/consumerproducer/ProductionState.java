package buto.testprograms.consumerproducer;

/** What the production's composite attribute holds. */
public final class ProductionState {
    private final int bufferSize;
    private final int queueSize;
    private final long processedJobs;

    ProductionState(int bufferSize, int queueSize, long processedJobs) {
        this.bufferSize = bufferSize;
        this.queueSize = queueSize;
        this.processedJobs = processedJobs;
    }

    /** Slots in the buffer. */
    public int getBufferSize() {
        return bufferSize;
    }

    /** Slots that are taken. */
    public int getQueueSize() {
        return queueSize;
    }

    /** Jobs done since the start. */
    public long getProcessedJobs() {
        return processedJobs;
    }
}
