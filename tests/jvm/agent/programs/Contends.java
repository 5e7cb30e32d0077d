import java.util.concurrent.locks.LockSupport;

/**
 * Makes threads wait for a monitor as often as its arguments say: {@code live=N} in a thread that lives on,
 * {@code dead=N} in one that dies after it was seen, {@code gone=N} in one that dies at once. {@code idle=N} starts N
 * threads that do nothing, {@code free=N} enters a monitor N times that nobody else wants, {@code gc=N} collects N times.
 */
public final class Contends {
    private static final Object LOCK = new Object();

    /** The number of a turn that began; after it its negative. */
    private static volatile int turn;

    private Contends() {}

    public static void main(String[] arguments) throws Exception {
        for (String argument : arguments) {
            String[] words = argument.split("=");
            act(words[0], Integer.parseInt(words[1]));
        }
    }

    private static void act(String deed, int number) throws Exception {
        if (deed.equals("idle")) {
            for (int i = 0; i < number; i++) {
                start(() -> LockSupport.park());
            }
        } else if (deed.equals("free")) {
            for (int i = 0; i < number; i++) {
                enter(i);
            }
        } else if (deed.equals("gc")) {
            for (int i = 0; i < number; i++) {
                System.gc();
            }
        } else {
            contend(deed, number);
        }
    }

    private static Thread start(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void enter(int next) {
        synchronized (LOCK) {
            turn = next;
        }
    }

    /** In each turn the other thread waits at the monitor before it is released. Nobody else ever waits. */
    private static void contend(String deed, int number) throws InterruptedException {
        turn = 0;
        Thread other = start(() -> {
            for (int k = 1; k <= number; k++) {
                while (turn != k) {
                    Thread.yield();
                }
                enter(k);
                turn = -k;
            }
            if (!deed.equals("gone")) {
                LockSupport.parkNanos(deed.equals("dead") ? 1000000000L : Long.MAX_VALUE);
            }
        });
        for (int k = 1; k <= number; k++) {
            synchronized (LOCK) {
                turn = k;
                while (other.getState() != Thread.State.BLOCKED) {
                    Thread.yield();
                }
            }
            while (turn != -k) {
                Thread.yield();
            }
        }
        if (!deed.equals("live")) {
            other.join();
        }
    }
}
