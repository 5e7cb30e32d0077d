package buto.testprograms.consumerproducer;

import java.util.List;
import java.util.concurrent.BlockingQueue;

/** Shows the buffer and the counter to monitoring tools. */
final class Production implements ProductionMXBean {
    private final BlockingQueue<List<Student>> buffer;
    private final int bufferSize;
    private final Counter counter;

    Production(BlockingQueue<List<Student>> buffer, int bufferSize, Counter counter) {
        this.buffer = buffer;
        this.bufferSize = bufferSize;
        this.counter = counter;
    }

    @Override
    public int getBufferSize() {
        return bufferSize;
    }

    @Override
    public ProductionState getState() {
        return new ProductionState(bufferSize, buffer.size(), counter.getProcessedJobs());
    }
}
