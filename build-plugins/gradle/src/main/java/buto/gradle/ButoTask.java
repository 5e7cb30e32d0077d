package buto.gradle;

import buto.launcher.ButoException;
import buto.launcher.Executable;
import buto.launcher.Harness;
import buto.launcher.MeasuredTest;
import buto.launcher.Outcome;
import buto.launcher.Results;
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
 * What the tasks have in common: which tests there are, and how buto is started for each.
 *
 * <p>No output is declared, so that a task is never up to date. What a task needs while it runs are its own fields,
 * copied from the extension, and never the project: the configuration cache can store that.
 */
public abstract class ButoTask extends DefaultTask {
    static final String CONFIGURATION = "buto.yaml";

    private final List<MeasuredTest> tests = new ArrayList<>();
    private File directory;
    private FileCollection classpath;
    private FileCollection testClasspath;
    private File executable;
    private File java;
    private File oracles;
    private File store;
    private File reports;
    private Integer runs;
    private Integer checkRuns;
    private String alpha;
    private String onlyTest;

    /** Takes over what the build script says. */
    void configure(ButoExtension extension, File projectDirectory, String onlyTest) {
        extension.getTests().forEach(test -> tests.add(new MeasuredTest(test)));
        directory = projectDirectory;
        executable = extension.getExecutable();
        java = extension.getJava();
        oracles = extension.getOracles();
        store = extension.getStore();
        reports = extension.getReports();
        runs = extension.getRuns();
        checkRuns = extension.getCheckRuns();
        alpha = extension.getAlpha();
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

    /** What the task does with one test; without a program it is that of buto.yaml, without a name all of them. */
    abstract Outcome carryOut(Harness harness, String name, List<String> program) throws ButoException;

    /** What the task makes of the outcomes. */
    void conclude(Results results) {
        if (results.broken() != null) {
            throw new GradleException(results.broken());
        }
    }

    /** Carries the task out for each test. */
    @TaskAction
    public void run() {
        try {
            conclude(carryOutAll());
        } catch (ButoException failure) {
            throw new GradleException(failure.getMessage(), failure);
        }
    }

    private Results carryOutAll() throws ButoException {
        List<MeasuredTest> selected = selected();
        List<List<String>> programs = new ArrayList<>();
        for (MeasuredTest test : selected) {
            programs.add(test.commandLine(java, classpathOf(test), directory));
        }
        Executable buto = Executable.find(executable, "buto { executable = file('...') }");
        Harness harness = new Harness(buto, directory, getLogger()::lifecycle, this::sayIfQuiet)
                .store(store)
                .oracles(tests.isEmpty() ? null : oracles)
                .reports(reports)
                .runs(runs)
                .checkRuns(checkRuns)
                .alpha(alpha);
        Results results = new Results("gradle butoTrain", "gradle butoAccept", reports);
        for (int i = 0; i < programs.size(); i++) {
            String name = selected.get(i).getName();
            results.add(name, carryOut(harness, name, programs.get(i)));
        }
        if (tests.isEmpty()) {
            results.add(onlyTest, carryOut(harness, onlyTest, null));
        }
        return results;
    }

    /** With {@code -q}, nothing of what buto printed was seen. */
    private void sayIfQuiet(String line) {
        if (!getLogger().isLifecycleEnabled()) {
            getLogger().error(line);
        }
    }

    private List<MeasuredTest> selected() throws ButoException {
        if (tests.isEmpty() && !new File(directory, CONFIGURATION).isFile()) {
            throw new ButoException(
                    "there is nothing to measure: no tests in the build script, and no " + CONFIGURATION + " in "
                            + directory,
                    "buto { tests { NAME { mainClass = 'com.acme.Main' } } }");
        }
        List<MeasuredTest> selected = new ArrayList<>(tests);
        selected.removeIf(test -> onlyTest != null && !onlyTest.equals(test.getName()));
        if (selected.isEmpty() && !tests.isEmpty()) {
            throw new ButoException("there is no test '" + onlyTest + "'", "one of those in buto { tests { ... } }");
        }
        return selected;
    }

    private Set<File> classpathOf(MeasuredTest test) throws ButoException {
        if (classpath == null) {
            if (test.getMainClass() != null) {
                throw new ButoException(
                        "test '" + test.getName() + "' has a main class, and this project no class path",
                        "apply plugin: 'java'");
            }
            return Collections.emptySet();
        }
        return (test.isTestClasspath() ? testClasspath : classpath).getFiles();
    }
}
