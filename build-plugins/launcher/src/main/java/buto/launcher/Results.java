package buto.launcher;

import java.io.File;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** How the tests of a build went, in words. */
public final class Results {
    private final Map<String, Outcome> outcomes = new LinkedHashMap<>();
    private final String howToTrain;
    private final String howToAccept;
    private final File reports;

    /**
     * @param howToTrain what to type in this build to learn
     * @param howToAccept what to type in this build when a change is meant
     * @param reports the directory of the reports
     */
    public Results(String howToTrain, String howToAccept, File reports) {
        this.howToTrain = howToTrain;
        this.howToAccept = howToAccept;
        this.reports = reports;
    }

    /** Takes down the outcome of a test; all tests of a {@code buto.yaml} have none of their own name. */
    public void add(String name, Outcome outcome) {
        outcomes.put(name == null ? "buto.yaml" : name, outcome);
    }

    /** The tests with a regression, and what to do; null without any. */
    public String regressions() {
        return those(
                Outcome::isRegression,
                "look at the reports in " + reports + "; if the change is meant: " + howToAccept);
    }

    /** The tests that say nothing about their program, why, and what to do; null without any. */
    public String broken() {
        boolean untrained = outcomes.containsValue(Outcome.NO_ORACLE) || outcomes.containsValue(Outcome.BAD_FILE);
        String first = untrained ? "" : "do as buto says in its output; to learn anew: ";
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
