package buto.gradle;

import buto.launcher.ButoException;
import buto.launcher.Harness;
import buto.launcher.MeasuredTest;
import buto.launcher.Outcome;
import buto.launcher.Results;
import buto.launcher.Settings;
import buto.launcher.Suite;
import java.io.File;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.gradle.api.DefaultTask;
import org.gradle.api.GradleException;
import org.gradle.api.file.FileCollection;
import org.gradle.api.tasks.TaskAction;

/**
 * Runs a command of buto for each test.
 *
 * <p>No output is declared, so that a task is never up to date. A task keeps what it needs in its own fields, copied
 * from the extension, and never refers to the project: so the configuration cache can store it.
 */
public abstract class ButoTask extends DefaultTask {
    private final List<MeasuredTest> tests = new ArrayList<>();
    private Settings settings;
    private File directory;
    private FileCollection runtime;
    private FileCollection classpath;
    private FileCollection testClasspath;
    private String onlyTest;
    private String program;
    private String words;
    private File place;

    /**
     * Takes over the settings of the build.
     *
     * @param tests that the build script declares
     * @param packed the archive of the runtime; null if the settings name a command or no runtime is for this machine
     * @param onlyTest the only test that is meant; null for all
     * @param program see {@link Gradle}
     * @param words see {@link Gradle}
     * @param place see {@link Gradle}
     */
    void configure(
            Settings settings,
            List<MeasuredTest> tests,
            FileCollection packed,
            File projectDirectory,
            String onlyTest,
            String program,
            String words,
            File place) {
        runtime = packed;
        this.program = program;
        this.words = words;
        this.place = place;
        this.tests.addAll(tests);
        this.settings = settings;
        directory = projectDirectory;
        this.onlyTest = onlyTest;
    }

    void setClasspaths(FileCollection main, FileCollection ofTests) {
        classpath = main;
        testClasspath = ofTests;
        for (MeasuredTest test : tests) {
            if (test.getMainClass() != null) {
                dependsOn(test.isTestClasspath() ? ofTests : main);
            }
        }
    }

    /** Runs the command for one test, see {@link Suite.Command}. */
    abstract Outcome carryOut(Harness harness, String name, List<String> program) throws ButoException;

    /** Passes, warns or fails by the outcomes. */
    void conclude(Results results) {
        if (results.broken() != null) {
            throw new GradleException(results.broken());
        }
    }

    /** Runs the command for all tests. */
    @TaskAction
    public void run() {
        Suite suite = new Suite(new Gradle(program, words, place), this::runtime, settings, directory, tests);
        try {
            conclude(suite.run(onlyTest, this::carryOut, this::classpathOf, getLogger()::lifecycle, this::logIfQuiet));
        } catch (ButoException failure) {
            throw new GradleException(failure.getMessage(), failure);
        }
    }

    private File runtime(String machine) throws ButoException {
        try {
            return runtime.getSingleFile();
        } catch (GradleException failure) {
            Throwable reason = failure.getCause() == null ? failure : failure.getCause();
            throw new ButoException(
                    "the runtime of buto cannot be fetched: " + failure.getMessage() + ": " + reason.getMessage(),
                    "look at the repositories of the build script and the network, or name an installed buto:"
                            + " -Pbuto.executable=buto");
        }
    }

    /** With {@code -q}, buto's output was not shown before. */
    private void logIfQuiet(String line) {
        if (!getLogger().isLifecycleEnabled()) {
            getLogger().error(line);
        }
    }

    private Set<File> classpathOf(MeasuredTest test) throws ButoException {
        if (classpath == null) {
            if (test.getMainClass() != null) {
                throw new ButoException(
                        "test '" + test.getName() + "' has a main class, but this project has no class path",
                        "apply plugin: 'java'");
            }
            return Collections.emptySet();
        }
        return (test.isTestClasspath() ? testClasspath : classpath).getFiles();
    }
}
