import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Runs for some milliseconds, or until there is a file of that name, says when it began and ended (nanoTime),
 * and ends in the way asked for.
 */
public class Ends {
    static final List<byte[]> HOARD = new ArrayList<>();

    public static void main(String[] arguments) throws Exception {
        long began = System.nanoTime();
        if (arguments[0].matches("[0-9]+")) {
            Thread.sleep(Long.parseLong(arguments[0]));
        } else {
            await(new File(arguments[0]));
        }
        String how = arguments.length > 1 ? arguments[1] : "return";
        System.out.println(began + " " + System.nanoTime());
        switch (how) {
            case "return":
                break;
            case "exit":
                System.exit(Integer.parseInt(arguments[2]));
                break;
            case "exception":
                throw new IllegalStateException("meant to fail");
            case "halt":
                Runtime.getRuntime().halt(4);
                break;
            case "memory":
                while (true) {
                    HOARD.add(new byte[1 << 20]);
                }
            case "signal":
                signal(arguments[2]);
                Thread.sleep(60_000);
                break;
            case "hang":
                Thread.sleep(60_000);
                break;
            case "child":
                new ProcessBuilder(Arrays.asList(arguments).subList(2, arguments.length)).start().waitFor();
                Thread.sleep(1500);
                Runtime.getRuntime().halt(4);
                break;
            case "daemon":
                Thread daemon = new Thread(Ends::sleepOn);
                daemon.setDaemon(true);
                daemon.start();
                break;
            case "hook":
                Runtime.getRuntime().addShutdownHook(new Thread(Ends::sleepOn));
                break;
            default:
                throw new IllegalArgumentException(how);
        }
    }

    private static void await(File end) throws InterruptedException {
        while (!end.exists()) {
            Thread.sleep(5);
        }
    }

    private static void signal(String name) throws Exception {
        String self = java.lang.management.ManagementFactory.getRuntimeMXBean().getName();
        new ProcessBuilder("kill", "-" + name, self.substring(0, self.indexOf('@'))).start().waitFor();
    }

    private static void sleepOn() {
        try {
            Thread.sleep(60_000);
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }
}
