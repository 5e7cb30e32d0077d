package buto.testprograms.virtualthreads;

import buto.testprograms.launch.Arguments;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;

/** Does the same work in virtual threads, of which some block where they hold on to their carrier. Needs Java 21. */
public final class VirtualThreads {
    private static final int PIECE = 1024;
    private static final long PAUSE_NANOS = 1000000L;

    private static volatile Object last;

    private VirtualThreads() {
    }

    public static void main(String[] line) throws Exception {
        Arguments arguments = new Arguments(VirtualThreads.class)
            .choice("pins", "where threads block that hold on to their carrier", "nowhere", "monitor", "initializer")
            .count("times", 8, "how often they do")
            .count("threads", 200, "virtual threads, one after another")
            .count("left", 0, "further ones that never end")
            .count("rejected", 0, "further ones after the scheduler was shut down; "
                + "needs --add-opens java.base/java.lang=ALL-UNNAMED")
            .parse(line);
        for (int thread = 0; thread < arguments.integer("threads"); thread++) {
            start(VirtualThreads::work).join();
        }
        int times = arguments.integer("times");
        switch (arguments.chosen("pins")) {
            case "monitor":
                start(() -> blockInMonitor(times)).join();
                break;
            case "initializer":
                start(() -> blockInInitializer(times)).join();
                break;
            default:
                start(() -> block(times)).join();
        }
        List<Thread> left = new ArrayList<>();
        for (int thread = 0; thread < arguments.integer("left"); thread++) {
            left.add(start(VirtualThreads::waitForever));
        }
        int rejected = arguments.integer("rejected");
        if (rejected > 0) {
            reject(rejected);
        }
        System.out.println("done " + left.size());
        System.exit(0);
    }

    /** By reflection: these classes are compiled for Java 8. */
    private static Thread start(Runnable task) throws ReflectiveOperationException {
        return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
    }

    private static void work() {
        List<byte[]> order = new ArrayList<>();
        for (int piece = 0; piece < 1000; piece++) {
            order.add(new byte[PIECE]);
        }
        last = order.size();
        LockSupport.parkNanos(PAUSE_NANOS);
    }

    private static void block(int times) {
        for (int time = 0; time < times; time++) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** Pins before Java 24. */
    private static void blockInMonitor(int times) {
        synchronized (VirtualThreads.class) {
            block(times);
        }
    }

    /** Pins in any Java, since a frame of the JVM is below the initializer. */
    private static void blockInInitializer(int times) {
        Initialized.times = times;
        Initialized.Slowly.touch();
    }

    private static void waitForever() {
        while (true) {
            LockSupport.park();
        }
    }

    private static void reject(int threads) throws ReflectiveOperationException {
        Field scheduler = Class.forName("java.lang.VirtualThread").getDeclaredField("DEFAULT_SCHEDULER");
        scheduler.setAccessible(true);
        ((ForkJoinPool) scheduler.get(null)).shutdown();
        for (int thread = 0; thread < threads; thread++) {
            try {
                start(VirtualThreads::work);
                throw new IllegalStateException("the scheduler still runs");
            } catch (InvocationTargetException refused) {
                if (!(refused.getCause() instanceof RejectedExecutionException)) {
                    throw refused;
                }
            }
        }
    }

    /** What the initializer of the class in it reads. */
    private static final class Initialized {
        static int times;

        private static final class Slowly {
            static {
                block(times);
            }

            static void touch() {
            }
        }
    }
}
