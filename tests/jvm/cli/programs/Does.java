import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;

/** Does what its first argument says. */
public final class Does {
    private static final List<byte[]> KEPT = new ArrayList<>();

    private Does() {
    }

    public static void main(String[] arguments) throws Exception {
        int amount = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 0;
        switch (arguments[0]) {
            case "keep": // so many KiB every 10 ms, or every so many, a hundred times
                for (int step = 0; step < 100; step++) {
                    KEPT.add(new byte[amount * 1024]);
                    Thread.sleep(arguments.length > 2 ? Integer.parseInt(arguments[2]) : 10);
                }
                break;
            case "exit":
                System.out.println("about to leave");
                System.err.println("for a reason");
                System.exit(amount);
                break;
            case "print": // so many KiB
                byte[] line = new byte[1024];
                java.util.Arrays.fill(line, (byte) 'x');
                line[1023] = '\n';
                for (int count = 0; count < amount; count++) {
                    System.out.write(line, 0, line.length);
                }
                System.out.flush();
                break;
            case "hang":
                Files.createFile(Paths.get("started"));
                Thread.sleep(Long.MAX_VALUE);
                break;
            case "memory": // more than any heap, in the main thread or in another
                fill();
                break;
            case "worker":
                Thread worker = new Thread(Does::fill);
                worker.start();
                worker.join();
                break;
            case "throw":
                throw new IllegalStateException("no catalogue");
            case "input":
                System.out.println(new java.util.Scanner(System.in).nextLine());
                break;
            case "lines": // counts those of its standard input; without any, it fails if it is told to
                java.io.BufferedReader reader =
                        new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
                if (reader.readLine() == null && amount != 0) {
                    System.exit(amount);
                }
                break;
            case "child":
                new ProcessBuilder("sleep", "60").start();
                Thread.sleep(amount);
                break;
            default: // so many milliseconds of nothing
                Thread.sleep(amount);
        }
    }
    private static void fill() {
        while (true) {
            KEPT.add(new byte[1024 * 1024]);
        }
    }
}
