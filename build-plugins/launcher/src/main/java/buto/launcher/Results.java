package buto.launcher;

import java.io.File;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The outcomes of a build's tests, as text. */
public final class Results {
    private final Map<String, Outcome> outcomes = new LinkedHashMap<>();
    private final String howToTrain;
    private final String howToAccept;
    private final File reports;

    /**
     * @param howToTrain what to type in this build to train
     * @param howToAccept what to type in this build to accept a change
     * @param reports the directory of the reports
     */
    public Results(String howToTrain, String howToAccept, File reports) {
        this.howToTrain = howToTrain;
        this.howToAccept = howToAccept;
        this.reports = reports;
    }

    /** Adds the outcome of a test; null is the name for all tests of a {@code buto.yaml}. */
    public void add(String name, Outcome outcome) {
        outcomes.put(name == null ? "buto.yaml" : name, outcome);
    }

    /** Returns the tests with a regression, and what to do; null if there are none. */
    public String regressions() {
        return those(
                Outcome::isRegression,
                "look at the reports in " + reports + "; if the change is meant: " + howToAccept);
    }

    /** Returns the tests without a verdict, why, and what to do; null if there are none. */
    public String broken() {
        boolean untrained = outcomes.containsValue(Outcome.NO_ORACLE) || outcomes.containsValue(Outcome.BAD_FILE);
        String first = untrained ? "" : "follow the advice in the output of buto; to train again: ";
        return those(Outcome::isBroken, first + howToTrain);
    }

    private String those(Predicate<Outcome> wanted, String advice) {
        String named = outcomes.entrySet().stream()
                .filter(entry -> wanted.test(entry.getValue()))
                .map(entry -> "buto, " + entry.getKey() + ": " + entry.getValue())
                .collect(Collectors.joining(System.lineSeparator()));
        return named.isEmpty() ? null : named + System.lineSeparator() + "try:  " + advice;
    }
}
