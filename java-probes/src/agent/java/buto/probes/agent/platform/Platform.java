package buto.probes.agent.platform;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.ThreadMXBean;
import java.util.List;

/**
 * What the JVM reports about itself. An interface and not an abstract class: for a class the verifier would
 * load both subclasses.
 */
public interface Platform {
    /** Milliseconds since 1970. */
    long startTime();

    /** Milliseconds since the start. */
    long uptime();

    List<String> inputArguments();

    String managementVersion();

    /** Null if there is none, as from Java 9 on. */
    String bootClassPath();

    long loadedClasses();

    long unloadedClasses();

    int daemonThreads();

    int liveThreads();

    long startedThreads();

    /** Null in a JVM that only interprets. */
    String compiler();

    /** Milliseconds of compilation, or -1 if not measured. */
    long compilationTime();

    ThreadMXBean threads();

    /** Bytes that all threads have allocated, or -1; LinkageError if the JVM has no such sum. */
    long allocatedBytes();

    MemoryMXBean memory();

    List<MemoryPoolMXBean> pools();

    List<GarbageCollectorMXBean> collectors();

    BufferPools bufferPools();
}
