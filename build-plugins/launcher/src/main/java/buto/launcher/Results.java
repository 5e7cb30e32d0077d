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

    /** Returns the tests that differ from their oracles, and what to do; null if there are none. */
    public String regressions() {
        return those(Outcome::isRegression, Headlines::isChange, this::accept);
    }

    /** Returns where more is, and how to accept what buto has not said it of. */
    private String accept(List<String> silent) {
        String more = "look at the reports in " + reports;
        return silent.isEmpty() ? more : more + "; if the change is meant: " + again("accept", silent);
    }

    /** Returns the tests without a verdict, why, and what to do; null if there are none. */
    public String broken() {
        return those(Outcome::isBroken, headline -> !Headlines.isChange(headline), this::mend);
    }

    /** Returns what to do for tests on which buto has no advice; null if there are none. */
    private String mend(List<String> silent) {
        // Training would replace the oracle, which is seldom to blame if there is one.
        boolean untrained = silent.stream().map(outcomes::get).anyMatch(Results::lacksOracle);
        return untrained ? again("train", silent) : silent.isEmpty() ? null : "look at the output of buto";
    }

    private static boolean lacksOracle(Outcome outcome) {
        return outcome == Outcome.NO_ORACLE || outcome == Outcome.BAD_FILE;
    }

    /** Returns the command for the one test that it concerns, or else for all. */
    private String again(String action, List<String> names) {
        return tool.command(action, names.size() == 1 && !names.contains(ALL) ? names.get(0) : null);
    }

    /**
     * Returns what was found of the wanted outcomes, the first line first: it is all that some readers show.
     *
     * @param more from the tests on which buto has no advice to the last line; null for none
     */
    private String those(Predicate<Outcome> wanted, Predicate<String> theirs, Function<List<String>, String> more) {
        List<String> names = outcomes.keySet().stream()
                .filter(name -> wanted.test(outcomes.get(name)))
                .collect(Collectors.toList());
        if (names.isEmpty()) {
            return null;
        }
        List<String> lines = names.stream().flatMap(name -> told(name, theirs)).collect(Collectors.toList());
        List<String> silent = names.stream()
                .filter(name -> headlines.get(name).stream().filter(theirs).noneMatch(Headlines::isAdvised))
                .collect(Collectors.toList());
        String advice = more.apply(silent);
        if (advice != null) {
            lines.add("try:  " + advice);
        }
        return String.join(System.lineSeparator(), lines);
    }

    private Stream<String> told(String name, Predicate<String> theirs) {
        List<String> lines =
                headlines.get(name).stream().filter(theirs).collect(Collectors.toList());
        return lines.isEmpty() ? Stream.of("buto, " + name + ": " + outcomes.get(name)) : lines.stream();
    }
}
