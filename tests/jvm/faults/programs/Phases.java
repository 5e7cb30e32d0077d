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
                        say(directory, "ending");
                        Thread.sleep(600_000);
                    } catch (Exception failure) {
                        throw new IllegalStateException(failure);
                    }
                }
            });
        }
        say(directory, "begun");
        Thread.sleep(700);
        say(directory, "middle");
        long patience = hangs && arguments.length == 2 ? 600_000 : Long.parseLong(arguments[2]);
        Thread.sleep(patience);
    }

    private static void say(Path directory, String phase) throws Exception {
        Path file = directory.resolve(phase);
        // It may be launched again, for a run that was disturbed.
        if (!Files.exists(file)) {
            Files.createFile(file);
        }
    }
}
