package buto.launcher;

import java.io.File;

/** What a build sets for all its tests. Plain values, because Gradle's own properties changed between its versions. */
public class Settings {
    private File executable;
    private File java;
    private File oracles;
    private File store;
    private File reports;
    private Integer runs;
    private Integer checkRuns;
    private Integer neverGrows;
    private Integer pairs;
    private boolean profile;
    private String alpha;

    /** Nothing is set yet. */
    public Settings() {}

    /** Copies other settings. */
    public Settings(Settings other) {
        executable = other.executable;
        java = other.java;
        oracles = other.oracles;
        store = other.store;
        reports = other.reports;
        runs = other.runs;
        checkRuns = other.checkRuns;
        neverGrows = other.neverGrows;
        pairs = other.pairs;
        profile = other.profile;
        alpha = other.alpha;
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

    /** Number of runs that train; null leaves that to buto. */
    public Integer getRuns() {
        return runs;
    }

    public void setRuns(Integer runs) {
        this.runs = runs;
    }

    /** Number of runs that are checked; null for one, and more to confirm a failure. */
    public Integer getCheckRuns() {
        return checkRuns;
    }

    public void setCheckRuns(Integer checkRuns) {
        this.checkRuns = checkRuns;
    }

    /** Number of rounds of the program's work over which nothing may grow; null leaves that to buto. */
    public Integer getNeverGrows() {
        return neverGrows;
    }

    public void setNeverGrows(Integer neverGrows) {
        this.neverGrows = neverGrows;
    }

    /** Number of launches that name the methods behind a regression; null leaves that to buto. */
    public Integer getPairs() {
        return pairs;
    }

    public void setPairs(Integer pairs) {
        this.pairs = pairs;
    }

    /** Whether training also stores a profile, with which later programs are compared. */
    public boolean isProfile() {
        return profile;
    }

    public void setProfile(boolean profile) {
        this.profile = profile;
    }

    /** Share of the checks of an unchanged program that may fail by chance; null leaves that to buto. */
    public String getAlpha() {
        return alpha;
    }

    public void setAlpha(String alpha) {
        this.alpha = alpha;
    }
}
