package buto.gradle;

import buto.launcher.Amounts;
import buto.launcher.Executable;
import buto.launcher.Settings;
import java.io.File;
import java.util.function.Function;
import org.gradle.api.Action;
import org.gradle.api.NamedDomainObjectContainer;

/** {@code buto { ... }} in a build script. It takes a path as {@code project.file} does: a text, a file and more. */
public class ButoExtension extends Amounts {
    private final NamedDomainObjectContainer<ButoTest> tests;
    private Object executable;
    private Object java;
    private Object oracles;
    private Object store;
    private Object reports;
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

    /** The command {@code buto}, a path or a name to look for in {@code PATH}; null for the runtime of this version. */
    public Object getExecutable() {
        return executable;
    }

    public void setExecutable(Object executable) {
        this.executable = executable;
    }

    /** The command {@code java} of the JVM to measure. */
    public Object getJava() {
        return java;
    }

    public void setJava(Object java) {
        this.java = java;
    }

    /** Directory of the oracles, one file per test, to be committed; null leaves that to {@code buto.yaml}. */
    public Object getOracles() {
        return oracles;
    }

    public void setOracles(Object oracles) {
        this.oracles = oracles;
    }

    /** Directory of the recorded runs. Builds that share it measure one JVM at a time, for buto locks it. */
    public Object getStore() {
        return store;
    }

    public void setStore(Object store) {
        this.store = store;
    }

    /** Directory of the reports. */
    public Object getReports() {
        return reports;
    }

    public void setReports(Object reports) {
        this.reports = reports;
    }

    /** Whether {@code gradle check} runs {@code butoCheck}. */
    public boolean isRunWithCheck() {
        return runWithCheck;
    }

    public void setRunWithCheck(boolean runWithCheck) {
        this.runWithCheck = runWithCheck;
    }

    /** Whether a regression only causes a warning. A check without a verdict always fails the build. */
    public boolean isIgnoreFailures() {
        return ignoreFailures;
    }

    public void setIgnoreFailures(boolean ignoreFailures) {
        this.ignoreFailures = ignoreFailures;
    }

    /** Returns the settings, with files in place of what the build script says. */
    Settings resolve(Function<Object, File> files) {
        Settings settings = new Settings(this);
        settings.setExecutable(executable == null ? null : Executable.locate(executable, files));
        settings.setJava(files.apply(java));
        settings.setOracles(oracles == null ? null : files.apply(oracles));
        settings.setStore(files.apply(store));
        settings.setReports(files.apply(reports));
        return settings;
    }
}
