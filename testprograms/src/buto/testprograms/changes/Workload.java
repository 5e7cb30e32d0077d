package buto.testprograms.changes;

/** One kind of work of a small server. */
public interface Workload {
    /** Serve one request. Requests are numbered from 0; equal numbers do equal work. */
    void request(int number) throws Exception;

    /** Return a number that depends on what was computed, but not on the version. */
    long checksum();

    /** Release what a well-behaved program releases before it ends. */
    default void close() throws Exception {
    }
}
