package buto.probes.calls;

import java.lang.management.ManagementFactory;

/** One thread: which methods it is in whose bytes are measured, by their numbers. */
final class Inside {
    /** How often the method has called itself, and itself: 0 outside. */
    final int[] depth;
    /** Calls since the outermost one began. */
    final long[] calls;
    /** What the thread had allocated as that began. */
    final long[] before;
    private final long id = Thread.currentThread().getId();
    private final Object bean = ManagementFactory.getThreadMXBean();

    Inside(int methods) {
        depth = new int[methods];
        calls = new long[methods];
        before = new long[methods];
    }

    /** Returns the bytes that this thread has allocated; negative if the JVM does not count them, as for a virtual thread. */
    long allocated() {
        try {
            return Bytes.of(bean, id);
        } catch (RuntimeException error) {
            // The program may have a thread with a number of its own making.
            return -1;
        }
    }

    /** A JVM without the module of this bean fails here, and nowhere else. */
    private static final class Bytes {
        static long of(Object bean, long thread) {
            return ((com.sun.management.ThreadMXBean) bean).getThreadAllocatedBytes(thread);
        }
    }
}
