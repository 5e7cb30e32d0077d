import java.io.File;
import java.util.Map;

/**
 * A JVM beside the measured one: has so many more threads, and works once it was sampled. With the name of a file it
 * then creates the file and stays; otherwise it ends.
 */
public final class Further {
    private static volatile long burnt;

    private Further() {
    }

    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            Thread idle = new Thread(Further::stay);
            idle.setDaemon(true);
            idle.start();
        }
        System.out.println("up");
        while (!isSampled()) {
            Thread.sleep(20);
        }
        long end = System.nanoTime() + 100_000_000;
        while (System.nanoTime() < end) {
            burnt++;
        }
        Thread.sleep(600);
        if (arguments.length > 1) {
            new File(arguments[1]).createNewFile();
            stay();
        }
    }

    private static boolean isSampled() {
        for (Map.Entry<Thread, StackTraceElement[]> one : Thread.getAllStackTraces().entrySet()) {
            for (StackTraceElement frame : one.getValue()) {
                if (one.getKey().getName().equals("buto-sampler") && frame.getMethodName().equals("sampleUntilExit")) {
                    return true;
                }
            }
        }
        return false;
    }

    private static void stay() {
        try {
            Thread.sleep(120_000);
        } catch (InterruptedException end) {
            // Then it ends.
        }
    }
}
