package buto.launcher;

/** How a command of {@code buto} ended, by its exit code. */
public enum Outcome {
    PASS(0, "pass"),
    REGRESSION(1, "regression"),
    WRONG_USAGE(2, "wrong usage or configuration"),
    NOT_JUDGED(3, "could not be measured or judged"),
    BAD_FILE(4, "a file is missing, damaged or of a newer version"),
    STOPPED(130, "stopped"),
    FAILED(-1, "buto itself failed"),
    /** For a check of all tests of a buto.yaml: a regression determines the exit code, whatever else failed. */
    REGRESSION_AND_NOT_JUDGED(-3, "regression; another test could not be measured or judged"),
    /** For the methods behind a regression: there is no stored profile, or a file is damaged. */
    NOT_EXPLAINED(-4, "could not be explained"),
    /** Found without starting buto, which would advise another way to train than the build's. */
    NO_ORACLE(-2, "has no oracle yet");

    private final int exitCode;
    private final String meaning;

    Outcome(int exitCode, String meaning) {
        this.exitCode = exitCode;
        this.meaning = meaning;
    }

    /** Returns the outcome of an exit code; an undocumented one is a failure. */
    static Outcome of(int exitCode) {
        for (Outcome outcome : values()) {
            if (outcome.exitCode == exitCode) {
                return outcome;
            }
        }
        return FAILED;
    }

    /** Whether a program under test differs from its oracle. */
    public boolean isRegression() {
        return this == REGRESSION || this == REGRESSION_AND_NOT_JUDGED;
    }

    /** Whether there is no verdict on a program under test. */
    public boolean isBroken() {
        return this != PASS && this != REGRESSION;
    }

    @Override
    public String toString() {
        return meaning;
    }
}
