package buto.testprograms.consumerproducer;

/** The number of jobs done. */
public interface CounterMXBean {
    long getProcessedJobs();
}
