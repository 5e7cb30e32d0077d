import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Allocates what its arguments say, and sleeps after each step: {@code main=BYTES} in the main thread,
 * {@code live=BYTES} in each of four threads that live on, {@code dead=BYTES} in each of four that die at a byte of
 * its standard input,
 * {@code gone=BYTES} in each of four that die at once, {@code keep=BYTES} for good, {@code hold=BYTES} until
 * {@code drop=0}, {@code gc=TIMES} collects,
 * {@code wait=0} waits for a byte of its standard input, {@code halt=CODE} ends without exit hooks.
 */
public final class Allocates {
    /** With its header an array of this many bytes takes 1,024, on JVMs with compressed class pointers. */
    private static final int CONTENT = 1008;

    private static final int PIECE = 1024;
    private static final int THREADS = 4;
    private static final long STEP_MS = 150;
    private static final CountDownLatch SEEN = new CountDownLatch(1);
    private static final List<Object> KEPT = new ArrayList<Object>();
    private static final List<Object> HELD = new ArrayList<Object>();
    private static volatile Object last;

    private Allocates() {}

    public static void main(String[] arguments) throws Exception {
        for (String argument : arguments) {
            String[] words = argument.split("=");
            act(words[0], Long.parseLong(words[1]));
            Thread.sleep(STEP_MS);
        }
    }

    private static void act(String deed, final long bytes) throws Exception {
        if (deed.equals("main")) {
            allocate(bytes);
        } else if (deed.equals("keep")) {
            for (long done = 0; done < bytes; done += PIECE) {
                KEPT.add(new Session(new byte[CONTENT]));
            }
        } else if (deed.equals("hold")) {
            for (long done = 0; done < bytes; done += PIECE) {
                HELD.add(new byte[CONTENT]);
            }
        } else if (deed.equals("drop")) {
            HELD.clear();
        } else if (deed.equals("gc")) {
            for (long time = 0; time < bytes; time++) {
                System.gc();
            }
        } else if (deed.equals("halt")) {
            Runtime.getRuntime().halt((int) bytes);
        } else if (deed.equals("wait")) {
            System.in.read();
        } else {
            List<Thread> threads = new ArrayList<Thread>();
            for (int i = 0; i < THREADS; i++) {
                Thread thread = new Thread(new Task(bytes, deed));
                thread.setDaemon(true);
                thread.start();
                threads.add(thread);
            }
            if (deed.equals("dead")) {
                System.in.read();
                SEEN.countDown();
            }
            for (Thread thread : threads) {
                thread.join(deed.equals("dead") ? 0 : STEP_MS);
            }
        }
    }

    private static void allocate(long bytes) {
        for (long done = 0; done < bytes; done += PIECE) {
            last = new byte[CONTENT];
        }
    }

    /** What is kept: one object and its array. */
    private static final class Session {
        private final byte[] content;

        Session(byte[] content) {
            this.content = content;
        }
    }

    private static final class Task implements Runnable {
        private final long bytes;
        private final String deed;

        Task(long bytes, String deed) {
            this.bytes = bytes;
            this.deed = deed;
        }

        @Override
        public void run() {
            allocate(bytes);
            try {
                if (deed.equals("dead")) {
                    SEEN.await();
                } else if (deed.equals("live")) {
                    Thread.sleep(60000);
                }
            } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
