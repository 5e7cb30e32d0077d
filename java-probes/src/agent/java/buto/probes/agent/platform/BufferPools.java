package buto.probes.agent.platform;

/** The JVM's pools of buffers outside of the heap, always in the same order. */
public interface BufferPools {
    /** Returns the names of all pools. */
    String[] names();

    /** Whether a pool can be read without changing the program. */
    boolean isReadable(int pool);

    long count(int pool);

    /** Bytes; negative if not known. */
    long used(int pool);

    long capacity(int pool);
}
