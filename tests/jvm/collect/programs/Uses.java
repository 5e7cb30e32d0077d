import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Does a known amount of everything that is counted from outside, or with the argument "nothing" none of it. */
final class Uses {
    static final int CONTENDED = 200;
    static final int LONG = 10;
    static final int WRITES = 1000;
    static final int BYTES = 512;
    static final int FILES = 30;
    static final int SOCKETS = 7;
    static final int THREADS = 20;
    static final int SLEEPS = 200;
    static final int TOUCHED = 128 << 20;

    static final Object LOCK = new Object();
    static final List<Object> HELD = new ArrayList<>();
    static volatile int turn;

    private Uses() {}

    public static void main(String[] arguments) throws Exception {
        if (!arguments[0].equals("nothing")) {
            contend();
            write(arguments[1]);
            hold();
            sleepInThreads();
        }
        if (arguments[0].equals("killed")) {
            Thread.sleep(300);
            Runtime.getRuntime().halt(0);
        }
        Thread.sleep(300);
    }

    /** In each turn the other thread is blocked at the lock before it is released. */
    private static void contend() throws InterruptedException {
        Thread other = new Thread(() -> {
            for (int k = 1; k <= CONTENDED; k++) {
                while (turn != k) {
                    Thread.yield();
                }
                synchronized (LOCK) {
                    turn = -k;
                }
            }
        });
        other.start();
        for (int k = 1; k <= CONTENDED; k++) {
            synchronized (LOCK) {
                turn = k;
                while (other.getState() != Thread.State.BLOCKED) {
                    Thread.yield();
                }
                if (k % LONG == 0) {
                    Thread.sleep(5);
                }
            }
            while (turn != -k) {
                Thread.yield();
            }
        }
        other.join();
    }

    private static void write(String file) throws IOException {
        try (FileOutputStream out = new FileOutputStream(file)) {
            for (int k = 0; k < WRITES; k++) {
                out.write(new byte[BYTES]);
            }
        }
    }

    /** Opens descriptors and touches memory, and keeps both to the end. */
    private static void hold() throws IOException {
        for (int k = 0; k < FILES; k++) {
            HELD.add(new FileInputStream("/dev/null"));
        }
        for (int k = 0; k < SOCKETS; k++) {
            HELD.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
        }
        HELD.add(ByteBuffer.allocateDirect(TOUCHED));
    }

    /** Threads that sleep and are gone before the end. */
    private static void sleepInThreads() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int k = 0; k < THREADS; k++) {
            Thread thread = new Thread(() -> {
                for (int sleep = 0; sleep < SLEEPS; sleep++) {
                    try {
                        Thread.sleep(1);
                    } catch (InterruptedException nobodyDoes) {
                        throw new IllegalStateException(nobodyDoes);
                    }
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
