package buto.faults;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** The processor time of the current thread. Wall time would make a fault smaller on a busy machine. */
final class CpuClock {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private CpuClock() {
    }

    static long nanos() {
        return THREADS.getCurrentThreadCpuTime();
    }

    static void burn(long nanos) {
        long end = nanos() + nanos;
        long value = end;
        while (nanos() < end) {
            for (int step = 0; step < 500; step++) {
                value = value * 6364136223846793005L + step;
            }
        }
        if (value == 42) {
            System.out.print("");
        }
    }
}
