package buto.launcher;

import java.io.File;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/** All tests of one module: those that the build declares, or else those of its {@code buto.yaml}. */
public final class Suite {
    private static final String CONFIGURATION = "buto.yaml";

    /** What is done with each test. */
    public interface Command {
        /**
         * @param name of the test; null for all tests of {@code buto.yaml}
         * @param program the test's command line; null for the one in {@code buto.yaml}
         */
        Outcome run(Harness harness, String name, List<String> program) throws ButoException;
    }

    /** The class path of a test's program. */
    public interface Classpath {
        Collection<File> of(MeasuredTest test) throws ButoException;
    }

    private final BuildTool tool;
    private final Repository repository;
    private final Settings settings;
    private final File directory;
    private final List<? extends MeasuredTest> tests;

    /**
     * @param repository where buto is from, unless the settings name a command
     * @param directory of the module: where the programs run
     * @param tests that the build declares
     */
    public Suite(
            BuildTool tool,
            Repository repository,
            Settings settings,
            File directory,
            List<? extends MeasuredTest> tests) {
        this.tool = tool;
        this.repository = repository;
        this.settings = new Settings(settings);
        this.directory = directory;
        this.tests = tests;
        if (tests.isEmpty()) {
            this.settings.setOracles(null);
        }
    }

    /** Whether there is no test, neither in the build nor in a {@code buto.yaml}. */
    public boolean isEmpty() {
        return tests.isEmpty() && !new File(directory, CONFIGURATION).isFile();
    }

    /**
     * Runs a command for each test.
     *
     * @param only the name of the one test that is meant; null for all
     * @param output receives each line that buto prints, as it comes
     * @param failed see {@link Harness}
     */
    public Results run(
            String only, Command command, Classpath classpath, Consumer<String> output, Consumer<String> failed)
            throws ButoException {
        List<MeasuredTest> selected = selected(only);
        List<List<String>> programs = new ArrayList<>();
        for (MeasuredTest test : selected) {
            programs.add(test.commandLine(settings.getJava(), classpath.of(test), directory));
        }
        Executable buto = Executable.find(settings.getExecutable(), repository, tool.executable(), output);
        Harness harness = new Harness(buto, settings, tool, directory, output, output, failed);
        Results results = new Results(tool, settings.getReports());
        for (int i = 0; i < programs.size(); i++) {
            String name = selected.get(i).getName();
            results.add(name, command.run(harness, name, programs.get(i)), harness.headlines());
        }
        if (tests.isEmpty()) {
            results.add(only, command.run(harness, only, null), harness.headlines());
        }
        return results;
    }

    private List<MeasuredTest> selected(String only) throws ButoException {
        if (isEmpty()) {
            throw new ButoException(
                    "there is nothing to measure: no test in " + tool.tests() + ", and no " + CONFIGURATION + " in "
                            + directory,
                    tool.example());
        }
        List<MeasuredTest> selected = new ArrayList<>(tests);
        selected.removeIf(test -> only != null && !only.equals(test.getName()));
        if (selected.isEmpty() && !tests.isEmpty()) {
            throw new ButoException("there is no test '" + only + "'", "one of those in " + tool.tests());
        }
        return selected;
    }
}
