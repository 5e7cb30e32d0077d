package buto.launcher;

import java.io.File;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The outcomes of a build's tests, as text. */
public final class Results {
    private static final String ALL = "buto.yaml";

    private final Map<String, Outcome> outcomes = new LinkedHashMap<>();
    private final BuildTool tool;
    private final File reports;

    /**
     * @param tool whose words the advice is in
     * @param reports the directory of the reports
     */
    public Results(BuildTool tool, File reports) {
        this.tool = tool;
        this.reports = reports;
    }

    /** Adds the outcome of a test; null is the name for all tests of a {@code buto.yaml}. */
    public void add(String name, Outcome outcome) {
        outcomes.put(name == null ? ALL : name, outcome);
    }

    /** Returns the tests with a regression, and what to do; null if there are none. */
    public String regressions() {
        return those(
                Outcome::isRegression,
                names -> "look at the reports in " + reports + "; if the change is meant: " + again("accept", names));
    }

    /** Returns the tests without a verdict, why, and what to do; null if there are none. */
    public String broken() {
        boolean untrained = outcomes.containsValue(Outcome.NO_ORACLE) || outcomes.containsValue(Outcome.BAD_FILE);
        // Training would replace the oracle, which is seldom to blame if there is one.
        return those(
                Outcome::isBroken,
                names -> untrained ? again("train", names) : "follow the advice in the output of buto");
    }

    /** Returns the command for the one test that it concerns, or else for all. */
    private String again(String action, List<String> names) {
        return tool.command(action, names.size() == 1 && !names.contains(ALL) ? names.get(0) : null);
    }

    private String those(Predicate<Outcome> wanted, Function<List<String>, String> advice) {
        List<String> names = outcomes.keySet().stream()
                .filter(name -> wanted.test(outcomes.get(name)))
                .collect(Collectors.toList());
        if (names.isEmpty()) {
            return null;
        }
        String named = names.stream()
                .map(name -> "buto, " + name + ": " + outcomes.get(name))
                .collect(Collectors.joining(System.lineSeparator()));
        return named + System.lineSeparator() + "try:  " + advice.apply(names);
    }
}
