import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/** Says by files in its first argument's directory where it is: begun, middle, ending. Ends only if it is told to. */
public final class Phases {
    private Phases() {
    }

    public static void main(String[] arguments) throws Exception {
        Path directory = Paths.get(arguments[0]);
        boolean hangs = arguments[1].equals("hangs");
        if (hangs) {
            Runtime.getRuntime().addShutdownHook(new Thread() {
                @Override
                public void run() {
                    try {
                        Files.createFile(directory.resolve("ending"));
                        Thread.sleep(600_000);
                    } catch (Exception failure) {
                        throw new IllegalStateException(failure);
                    }
                }
            });
        }
        Files.createFile(directory.resolve("begun"));
        Thread.sleep(700);
        Files.createFile(directory.resolve("middle"));
        long patience = hangs && arguments.length == 2 ? 600_000 : Long.parseLong(arguments[2]);
        Thread.sleep(patience);
    }
}
