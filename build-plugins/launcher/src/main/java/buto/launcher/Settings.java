package buto.launcher;

import java.io.File;

/** What a build sets for all its tests. */
public final class Settings extends Amounts {
    private File executable;
    private File java;
    private File oracles;
    private File store;
    private File reports;

    /** Nothing is set yet. */
    public Settings() {}

    /** Sets amounts, and nothing else yet. */
    public Settings(Amounts amounts) {
        super(amounts);
    }

    /** Copies other settings. */
    public Settings(Settings other) {
        super(other);
        executable = other.executable;
        java = other.java;
        oracles = other.oracles;
        store = other.store;
        reports = other.reports;
    }

    /** The command {@code buto}, a path or a name to look for in {@code PATH}; null for the runtime of this version. */
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

    /** Directory of the oracles, one file per test, to be committed; null leaves that to {@code buto.yaml}. */
    public File getOracles() {
        return oracles;
    }

    public void setOracles(File oracles) {
        this.oracles = oracles;
    }

    /** Directory of the recorded runs. Builds that share it measure one JVM at a time, for buto locks it. */
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
}
