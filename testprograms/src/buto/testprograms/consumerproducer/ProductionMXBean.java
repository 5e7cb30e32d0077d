package buto.testprograms.consumerproducer;

/** The state of the production. */
public interface ProductionMXBean {
    /** Slots in the buffer, which never change. */
    int getBufferSize();

    /** Everything in one composite value. */
    ProductionState getState();
}
