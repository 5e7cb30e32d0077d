package buto.store;

import static org.junit.jupiter.api.Assertions.assertTrue;

import buto.store.service.Slowdown;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slowdown")
class SlowdownTest {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final long WORK_NANOS = 2_000_000;

    @Test
    void burnsTheShareOfTheProcessorTimeThatTheWorkTook() {
        String before = System.setProperty("store.slow", "Work.some:4");
        try {
            long start = THREADS.getCurrentThreadCpuTime();
            long took = Slowdown.of("Work.some").around(SlowdownTest::work);
            long whole = THREADS.getCurrentThreadCpuTime() - start;
            assertTrue(whole >= 5 * took, () -> "work of " + took + " ns took " + whole);
        } finally {
            if (before == null) {
                System.clearProperty("store.slow");
            } else {
                System.setProperty("store.slow", before);
            }
        }
    }

    private static long work() {
        long start = THREADS.getCurrentThreadCpuTime();
        long now = start;
        while (now - start < WORK_NANOS) {
            now = THREADS.getCurrentThreadCpuTime();
        }
        return now - start;
    }
}
