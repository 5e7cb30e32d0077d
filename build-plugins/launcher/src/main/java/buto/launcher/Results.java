package buto.launcher;

import java.io.File;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The outcomes of a build's tests, as text. */
public final class Results {
    private static final String ALL = "buto.yaml";

    private final Map<String, Outcome> outcomes = new LinkedHashMap<>();
    private final Map<String, List<String>> headlines = new LinkedHashMap<>();
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

    /**
     * Adds the outcome of a test.
     *
     * @param name of the test; null for all tests of a {@code buto.yaml}
     * @param found see {@link Harness#headlines}
     */
    public void add(String name, Outcome outcome, List<String> found) {
        outcomes.put(name == null ? ALL : name, outcome);
        headlines.put(name == null ? ALL : name, found);
    }

    /** Returns the tests with a regression, and what to do; null if there are none. */
    public String regressions() {
        return those(
                Outcome::isRegression,
                Headlines::isRegression,
                names -> "look at the reports in " + reports + accept(names));
    }

    /** Returns how to accept, unless buto has said what comes next. */
    private String accept(List<String> names) {
        boolean isSaid = names.stream().allMatch(name -> headlines.get(name).stream().anyMatch(Headlines::hasNext));
        return isSaid ? "" : "; if the change is meant: " + again("accept", names);
    }

    /** Returns the tests without a verdict, why, and what to do; null if there are none. */
    public String broken() {
        boolean untrained = outcomes.containsValue(Outcome.NO_ORACLE) || outcomes.containsValue(Outcome.BAD_FILE);
        // Training would replace the oracle, which is seldom to blame if there is one.
        return those(
                Outcome::isBroken,
                headline -> !Headlines.isRegression(headline),
                names -> untrained ? again("train", names) : "follow the advice in the output of buto");
    }

    /** Returns the command for the one test that it concerns, or else for all. */
    private String again(String action, List<String> names) {
        return tool.command(action, names.size() == 1 && !names.contains(ALL) ? names.get(0) : null);
    }

    /** Returns what was found of the wanted outcomes, the first line first: it is all that some readers show. */
    private String those(
            Predicate<Outcome> wanted, Predicate<String> theirs, Function<List<String>, String> advice) {
        List<String> names = outcomes.keySet().stream()
                .filter(name -> wanted.test(outcomes.get(name)))
                .collect(Collectors.toList());
        if (names.isEmpty()) {
            return null;
        }
        String told = names.stream()
                .flatMap(name -> told(name, theirs))
                .collect(Collectors.joining(System.lineSeparator()));
        return told + System.lineSeparator() + "try:  " + advice.apply(names);
    }

    private Stream<String> told(String name, Predicate<String> theirs) {
        List<String> lines =
                headlines.get(name).stream().filter(theirs).collect(Collectors.toList());
        return lines.isEmpty() ? Stream.of("buto, " + name + ": " + outcomes.get(name)) : lines.stream();
    }
}
