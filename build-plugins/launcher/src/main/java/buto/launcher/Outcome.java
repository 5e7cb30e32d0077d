package buto.launcher;

/** How a command of {@code buto} ended: what its exit code says. */
public enum Outcome {
    PASS(0, "pass"),
    REGRESSION(1, "regression"),
    WRONG_USAGE(2, "wrong usage or configuration"),
    NOT_JUDGED(3, "could not be measured or judged"),
    BAD_FILE(4, "a file is missing, damaged or of a newer version"),
    STOPPED(130, "stopped"),
    FAILED(-1, "buto itself failed"),
    /** Told without starting buto, for what buto would advise is another way to train than the build's. */
    NO_ORACLE(-2, "has no oracle yet");

    private final int exitCode;
    private final String meaning;

    Outcome(int exitCode, String meaning) {
        this.exitCode = exitCode;
        this.meaning = meaning;
    }

    /** The outcome of an exit code; one that buto does not document is a failure. */
    static Outcome of(int exitCode) {
        for (Outcome outcome : values()) {
            if (outcome.exitCode == exitCode) {
                return outcome;
            }
        }
        return FAILED;
    }

    /** Whether nothing can be said about the program under test. */
    public boolean isBroken() {
        return this != PASS && this != REGRESSION;
    }

    @Override
    public String toString() {
        return meaning;
    }
}
