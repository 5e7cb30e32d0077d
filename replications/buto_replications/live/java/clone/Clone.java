package live.clone;

import java.util.ArrayList;
import java.util.List;

/** Keeps texts, starts threads that wait, and allocates what nobody keeps: so many, as its constants say. */
public final class Clone {
    private static final int TEXTS = 2000;
    private static final int THREADS = 2;
    private static final int ALLOCATED_MIB = 20;

    private static final List<String> KEPT = new ArrayList<>();

    private Clone() {}

    public static void main(String[] arguments) throws InterruptedException {
        for (int number = 0; number < TEXTS; number++) {
            KEPT.add("a text that somebody keeps, the one with the number " + number);
        }
        for (int number = 0; number < THREADS; number++) {
            Thread thread = new Thread(Clone::waitForever);
            thread.setDaemon(true);
            thread.start();
        }
        long sum = 0;
        for (int number = 0; number < ALLOCATED_MIB * 16; number++) {
            sum += new byte[64 * 1024].length;
        }
        Thread.sleep(200);
        System.out.println(KEPT.size() + " " + sum);
    }

    private static void waitForever() {
        try {
            Thread.sleep(Long.MAX_VALUE);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
