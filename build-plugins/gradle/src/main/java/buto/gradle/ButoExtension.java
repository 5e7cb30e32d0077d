package buto.gradle;

import java.io.File;
import org.gradle.api.Action;
import org.gradle.api.NamedDomainObjectContainer;

/** {@code buto { ... }} of a build script. Plain values, for Gradle's own properties changed between its versions. */
public class ButoExtension {
    private final NamedDomainObjectContainer<ButoTest> tests;
    private File executable;
    private File java;
    private File oracles;
    private File store;
    private File reports;
    private Integer runs;
    private Integer checkRuns;
    private String alpha;
    private boolean runWithCheck;
    private boolean ignoreFailures;

    public ButoExtension(NamedDomainObjectContainer<ButoTest> tests) {
        this.tests = tests;
    }

    /** The tests; without any, those of the project's {@code buto.yaml}. */
    public NamedDomainObjectContainer<ButoTest> getTests() {
        return tests;
    }

    /** Declares tests. */
    public void tests(Action<? super NamedDomainObjectContainer<ButoTest>> configuration) {
        configuration.execute(tests);
    }

    /** The command {@code buto}; null for the one in {@code PATH}. */
    public File getExecutable() {
        return executable;
    }

    public void setExecutable(File executable) {
        this.executable = executable;
    }

    /** The command {@code java} of the JVM to measure. */
    public File getJava() {
        return java;
    }

    public void setJava(File java) {
        this.java = java;
    }

    /** Directory of what was learned, one file a test, to be committed. */
    public File getOracles() {
        return oracles;
    }

    public void setOracles(File oracles) {
        this.oracles = oracles;
    }

    /** Directory of the recorded runs; projects that share it are measured one after the other. */
    public File getStore() {
        return store;
    }

    public void setStore(File store) {
        this.store = store;
    }

    /** Directory of the reports. */
    public File getReports() {
        return reports;
    }

    public void setReports(File reports) {
        this.reports = reports;
    }

    /** How many runs train; null leaves that to buto. */
    public Integer getRuns() {
        return runs;
    }

    public void setRuns(Integer runs) {
        this.runs = runs;
    }

    /** How many runs are checked; null for one, and more to confirm a failure. */
    public Integer getCheckRuns() {
        return checkRuns;
    }

    public void setCheckRuns(Integer checkRuns) {
        this.checkRuns = checkRuns;
    }

    /** Share of the checks of an unchanged program that may fail by chance; null leaves that to buto. */
    public String getAlpha() {
        return alpha;
    }

    public void setAlpha(String alpha) {
        this.alpha = alpha;
    }

    /** Whether {@code gradle check} runs {@code butoCheck}. */
    public boolean isRunWithCheck() {
        return runWithCheck;
    }

    public void setRunWithCheck(boolean runWithCheck) {
        this.runWithCheck = runWithCheck;
    }

    /** Whether a regression only warns. What could not be judged always fails the build. */
    public boolean isIgnoreFailures() {
        return ignoreFailures;
    }

    public void setIgnoreFailures(boolean ignoreFailures) {
        this.ignoreFailures = ignoreFailures;
    }
}
