package buto.probes.agent;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.ThreadMXBean;
import java.util.List;

/**
 * What the JVM tells of itself. An interface, and not a class with two heirs, because the verifier
 * would load both of those to see that they are some.
 */
interface Platform {
    /** Milliseconds since 1970. */
    long startTime();

    /** Milliseconds since the start. */
    long uptime();

    List<String> inputArguments();

    String managementVersion();

    /** Null where there is none, which is from Java 9 on. */
    String bootClassPath();

    long loadedClasses();

    long unloadedClasses();

    int daemonThreads();

    int liveThreads();

    long startedThreads();

    /** Null in a JVM that only interprets. */
    String compiler();

    /** Milliseconds of compilation, or -1 where they are not measured. */
    long compilationTime();

    ThreadMXBean threads();

    MemoryMXBean memory();

    List<MemoryPoolMXBean> pools();

    List<GarbageCollectorMXBean> collectors();

    List<BufferPoolMXBean> bufferPools();
}
