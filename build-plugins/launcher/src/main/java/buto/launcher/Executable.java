package buto.launcher;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The command {@code buto}, of a version that the plugins can work with. */
public final class Executable {
    /** The first version with all options that the plugins use. */
    public static final String OLDEST = "0.1.0";

    /** How a machine gets a command that the build can name. */
    static final String INSTALL = "install it: python3 -m venv ~/buto && ~/buto/bin/pip install buto-jvm";

    private static final String NAMED = "BUTO_EXECUTABLE";
    private static final Pattern VERSION = Pattern.compile("buto (\\d+\\.\\d+\\.\\d+)\\S*");
    private static final long VERSION_TIMEOUT_S = 60;
    private static final long STOP_TIMEOUT_S = 30;
    private static final long OUTPUT_TIMEOUT_MS = 10_000;
    private static final long QUIET_S = 5;
    private static final long QUIET_LONGER_S = 60;

    private final File file;

    private Executable(File file) {
        this.file = file;
    }

    /**
     * Finds the command and asks for its version.
     *
     * @param configured the command that the build names, to look for in {@code PATH} if it is a mere name; null for
     *     that of the environment, or else the runtime of the plugins' own version
     * @param repository where that runtime is from
     * @param setting the setting that names a command, for the advice
     * @param progress receives a line if the runtime must be unpacked
     * @throws ButoException if there is none, it does not start, or it is too old
     */
    public static Executable find(File configured, Repository repository, String setting, Consumer<String> progress)
            throws ButoException {
        String install = INSTALL + "; then name ~/buto/bin/buto in the configuration of the build (" + setting
                + "), or leave the setting out, and the build has its own";
        File named = configured != null ? configured : fromEnvironment();
        File file = named == null
                ? new Runtimes(progress).command(repository.runtime(Release.machine()))
                : named.getParent() == null ? onPath(named.getName()) : named;
        if (file == null) {
            throw new ButoException("the command '" + named + "' is not in PATH", install);
        }
        if (!file.isFile() || !file.canExecute()) {
            throw new ButoException(file + " does not exist or is not executable", install);
        }
        Executable found = new Executable(file);
        found.checkVersion(install);
        return found;
    }

    /**
     * Returns the command that a build names: a mere name, to look for in {@code PATH}, as it is; else the file.
     *
     * @param files from a path as users write it to the file
     */
    public static File locate(Object named, Function<Object, File> files) {
        File name = new File(named.toString());
        return name.getParent() == null ? name : files.apply(named);
    }

    private static File fromEnvironment() {
        String named = System.getenv(NAMED);
        return named == null || named.isEmpty() ? null : new File(named);
    }

    private static File onPath(String name) {
        String path = System.getenv("PATH");
        for (String directory : (path == null ? "" : path).split(Pattern.quote(File.pathSeparator))) {
            File candidate = new File(directory, name);
            if (!directory.isEmpty() && candidate.isFile() && candidate.canExecute()) {
                return candidate;
            }
        }
        return null;
    }

    private void checkVersion(String install) throws ButoException {
        List<String> said = new ArrayList<>();
        Process process = start(new ProcessBuilder(file.getPath(), "--version").redirectErrorStream(true));
        closeInput(process);
        Thread reader = readAside(process.getInputStream(), said::add);
        try {
            boolean ended = process.waitFor(VERSION_TIMEOUT_S, TimeUnit.SECONDS);
            if (ended) {
                reader.join(OUTPUT_TIMEOUT_MS);
            }
        } catch (InterruptedException stopped) {
            throw interrupted();
        } finally {
            process.destroyForcibly();
        }
        String version = String.join(" ", said);
        Matcher numbers = VERSION.matcher(version);
        if (!numbers.matches()) {
            throw new ButoException(file + " --version says '" + version + "', and that is not buto", install);
        }
        if (compare(numbers.group(1), OLDEST) < 0) {
            throw new ButoException(
                    file + " is " + version + "; this plugin needs " + OLDEST + " or newer", "a newer one: " + install);
        }
    }

    private static int compare(String version, String other) {
        String[] ours = version.split("\\.");
        String[] theirs = other.split("\\.");
        for (int part = 0; part < theirs.length; part++) {
            int order = Integer.compare(Integer.parseInt(ours[part]), Integer.parseInt(theirs[part]));
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    /**
     * Runs the command to its end, however long that is: buto limits the time of each program that it measures.
     *
     * @param arguments what follows {@code buto}
     * @param directory where it runs
     * @param tool whose words its advice is in
     * @param results receives each line of its standard output, on another thread, before this method returns
     * @param others receives each line of its standard error: progress, warnings and errors; likewise
     * @param lasts receives the seconds that it has taken, after five and then each minute
     * @throws ButoException if it cannot be started or the build is stopped
     */
    public Outcome run(
            List<String> arguments,
            File directory,
            BuildTool tool,
            Consumer<String> results,
            Consumer<String> others,
            LongConsumer lasts)
            throws ButoException {
        List<String> words = new ArrayList<>();
        words.add(file.getPath());
        words.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(words).directory(directory);
        builder.environment().put(BuildTool.DOOR, tool.door());
        builder.environment().put(BuildTool.DOOR_WORDS, tool.words());
        builder.environment().put(BuildTool.DOOR_PROGRAM, tool.program());
        builder.environment().put(BuildTool.DOOR_GOALS, tool.goals());
        builder.environment().put(BuildTool.DOOR_PLACE, tool.place().getPath());
        builder.environment().put(BuildTool.DOOR_INPUT, BuildTool.HELD);
        Process process = start(builder);
        // A build that is stopped must not leave the measured JVM behind; buto ends it when buto itself is stopped.
        Thread stop = new Thread(process::destroy);
        Runtime.getRuntime().addShutdownHook(stop);
        Thread reader = readAside(process.getInputStream(), results);
        Thread otherReader = readAside(process.getErrorStream(), others);
        try {
            long seconds = QUIET_S;
            for (long next = QUIET_S; !process.waitFor(next, TimeUnit.SECONDS); next = QUIET_LONGER_S) {
                lasts.accept(seconds);
                seconds += QUIET_LONGER_S;
            }
            int exitCode = process.exitValue();
            reader.join(OUTPUT_TIMEOUT_MS);
            otherReader.join(OUTPUT_TIMEOUT_MS);
            return Outcome.of(exitCode);
        } catch (InterruptedException stopped) {
            end(process);
            throw interrupted();
        } finally {
            closeInput(process);
            forget(stop);
        }
    }

    private Process start(ProcessBuilder builder) throws ButoException {
        try {
            return builder.start();
        } catch (IOException failure) {
            throw new ButoException(
                    file + " cannot be started: " + failure.getMessage(), "see whether it runs in a terminal");
        }
    }

    private static void closeInput(Process process) {
        try {
            process.getOutputStream().close();
        } catch (IOException ended) {
            // Nobody is there to read it.
            return;
        }
    }

    private static Thread readAside(InputStream stream, Consumer<String> output) {
        Thread reader = new Thread(() -> {
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    output.accept(line);
                }
            } catch (IOException closed) {
                // The process was killed; its output until then has been passed on.
                return;
            }
        }, "output of buto");
        reader.setDaemon(true);
        reader.start();
        return reader;
    }

    private static void end(Process process) {
        process.destroy();
        try {
            if (!process.waitFor(STOP_TIMEOUT_S, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException again) {
            process.destroyForcibly();
        }
    }

    private static void forget(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException leaving) {
            // The JVM of the build is shutting down; the hook runs, and finds no process.
            return;
        }
    }

    private static ButoException interrupted() {
        Thread.currentThread().interrupt();
        return new ButoException("the build was stopped while buto ran", "run the build again");
    }
}
