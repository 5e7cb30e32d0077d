import java.util.ArrayList;
import java.util.List;

/** Prints when main began, does what its arguments say, and prints when it was done. */
public final class Ends {
    private static final List<Object> KEPT = new ArrayList<Object>();

    private Ends() {}

    public static void main(String[] arguments) throws Exception {
        System.out.println(System.nanoTime());
        for (String argument : arguments) {
            String[] words = argument.split("=");
            act(words[0], words.length == 1 ? 0 : Long.parseLong(words[1]));
        }
        System.out.println(System.nanoTime());
    }

    private static void act(String deed, long number) throws Exception {
        if (deed.equals("sleep")) {
            Thread.sleep(number);
        } else if (deed.equals("wait")) {
            System.in.read();
        } else if (deed.equals("exit")) {
            System.exit((int) number);
        } else if (deed.equals("halt")) {
            Runtime.getRuntime().halt((int) number);
        } else if (deed.equals("throw")) {
            throw new IllegalStateException("thrown on purpose");
        } else if (deed.equals("fill")) {
            fill(new ArrayList<Object>());
        } else if (deed.equals("fill-for-good")) {
            fill(KEPT);
        } else if (deed.equals("fill-and-survive")) {
            try {
                fill(KEPT);
            } catch (OutOfMemoryError expected) {
                KEPT.clear();
                System.out.println("survived");
            }
        } else if (deed.equals("daemon")) {
            Thread endless = new Thread(new Endless());
            endless.setDaemon(true);
            endless.start();
        } else if (deed.equals("threads")) {
            for (Thread thread : Thread.getAllStackTraces().keySet()) {
                System.out.println(thread.getName());
            }
        } else {
            throw new IllegalArgumentException(deed);
        }
    }

    private static void fill(List<Object> kept) {
        while (true) {
            kept.add(new long[1000]);
        }
    }

    private static final class Endless implements Runnable {
        @Override
        public void run() {
            while (true) {
                try {
                    Thread.sleep(1000);
                } catch (InterruptedException again) {
                    // It never ends by itself.
                }
            }
        }
    }
}
