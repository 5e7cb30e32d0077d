package buto.testprograms.consumerproducer;

/** How many jobs were done. */
public interface CounterMXBean {
    long getProcessedJobs();
}
