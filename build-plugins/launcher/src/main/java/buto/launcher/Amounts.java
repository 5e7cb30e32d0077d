package buto.launcher;

/** How much a build measures. Plain values, because Gradle's own properties changed between its versions. */
public class Amounts {
    private Integer runs;
    private Integer checkRuns;
    private Integer neverGrows;
    private Integer pairs;
    private boolean profile;
    private String alpha;

    /** Nothing is set yet. */
    public Amounts() {}

    /** Copies other amounts. */
    public Amounts(Amounts other) {
        runs = other.runs;
        checkRuns = other.checkRuns;
        neverGrows = other.neverGrows;
        pairs = other.pairs;
        profile = other.profile;
        alpha = other.alpha;
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
