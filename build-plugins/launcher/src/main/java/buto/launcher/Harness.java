package buto.launcher;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.xml.sax.InputSource;

/**
 * Trains, checks, accepts, reports and explains the tests of one module.
 *
 * <p>A test without a program is taken from the {@code buto.yaml} in the module's directory, which also names its
 * oracle. Without a name, all tests of that file are meant.
 */
public final class Harness {
    private final Executable buto;
    private final BuildTool tool;
    private final File directory;
    private final Consumer<String> output;
    private final Consumer<String> failed;
    private final Consumer<String> progress;
    private final Settings settings;
    private final List<String> headlines = new ArrayList<>();

    /**
     * @param tool whose words buto's advice is in
     * @param directory of the module: where the programs run
     * @param output receives each line that buto prints, as it comes
     * @param progress receives a line after five seconds of a command, and then one a minute
     * @param failed receives, after the end of a command that did not pass, what it found; without a verdict all its
     *     lines, as the reason is among them
     */
    public Harness(
            Executable buto,
            Settings settings,
            BuildTool tool,
            File directory,
            Consumer<String> output,
            Consumer<String> progress,
            Consumer<String> failed) {
        this.buto = buto;
        this.tool = tool;
        this.settings = settings;
        this.directory = directory;
        this.output = output;
        this.progress = progress;
        this.failed = failed;
    }

    /**
     * Returns what the last command found, the first line of each verdict that is no pass and of each error, with the
     * advice on it; empty after a pass, and if buto broke off.
     */
    public List<String> headlines() {
        return new ArrayList<>(headlines);
    }

    /** Trains a test: records runs and writes its oracle. */
    public Outcome train(String name, List<String> program) throws ButoException {
        Arguments arguments = about("train", name)
                .option("--runs", settings.getRuns())
                .option("--alpha", settings.getAlpha());
        if (settings.isProfile()) {
            arguments.word("--profile");
        }
        return checked(launch(arguments, program), false);
    }

    /** Trains a test again, and reports how the new oracle differs from the old one. */
    public Outcome accept(String name, List<String> program) throws ButoException {
        if (lacksOracle(name)) {
            return Outcome.NO_ORACLE;
        }
        return checked(launch(aboutOne("accept", name).option("--runs", settings.getRuns()), program), false);
    }

    /** Checks a test against its oracle, and writes the reports. */
    public Outcome check(String name, List<String> program) throws ButoException {
        if (lacksOracle(name)) {
            return Outcome.NO_ORACLE;
        }
        Arguments arguments = about("check", name)
                .option("--runs", settings.getCheckRuns())
                .option("--alpha", settings.getAlpha())
                .option("--never-grows", settings.getNeverGrows());
        Outcome outcome = launch(withReports(arguments, name), program);
        outcome = checked(outcome, junitXml(name).isFile());
        boolean hidesOthers = name == null && outcome == Outcome.REGRESSION && hasErrors(junitXml(name));
        return hidesOthers ? Outcome.REGRESSION_AND_NOT_JUDGED : outcome;
    }

    /** Writes the reports of the last check again; starts no program. */
    public Outcome report(String name) throws ButoException {
        return checked(launch(withReports(aboutOne("report", name), name), null), false);
    }

    /** Compares a test with its stored profile, names the methods that use more, and writes that as reports. */
    public Outcome why(String name, List<String> program) throws ButoException {
        Arguments arguments = aboutOne("why", name)
                .option("--pairs", settings.getPairs())
                .option("--html", fresh(new File(settings.getReports(), name + "-why.html")))
                .option("--markdown", fresh(new File(settings.getReports(), name + "-why.md")));
        Outcome outcome = checked(launch(arguments, program), false);
        // Training as usual would store no profile; buto advises what does.
        return outcome == Outcome.BAD_FILE ? Outcome.NOT_EXPLAINED : outcome;
    }

    /** Whether a test of the build has no oracle; if so, a line says it. For tests of buto.yaml, buto itself does. */
    private boolean lacksOracle(String name) {
        boolean lacks = settings.getOracles() != null && !oracle(name).exists();
        if (lacks) {
            String line = name + " has no oracle yet: " + oracle(name) + " does not exist";
            headlines.clear();
            headlines.add(line);
            output.andThen(failed).accept(line);
        }
        return lacks;
    }

    /** A command that crashed has the exit code of a regression. A real regression also left a report. */
    private static Outcome checked(Outcome outcome, boolean reported) {
        return outcome == Outcome.REGRESSION && !reported ? Outcome.FAILED : outcome;
    }

    /** Whether there is a test that could not be measured or judged. */
    private static boolean hasErrors(File junitXml) throws ButoException {
        try {
            InputSource report = new InputSource(junitXml.toURI().toString());
            String errors = XPathFactory.newInstance().newXPath().evaluate("sum(//testsuite/@errors)", report);
            return !errors.equals("0");
        } catch (XPathExpressionException failure) {
            throw new ButoException("the report " + junitXml + " cannot be read: " + failure, "check again");
        }
    }

    private Arguments aboutOne(String command, String name) throws ButoException {
        if (name == null) {
            throw new ButoException(
                    "buto " + command + " needs the name of one test", "name it: " + tool.command(command, "NAME"));
        }
        return about(command, name);
    }

    private Arguments about(String command, String name) {
        Arguments arguments = new Arguments(command);
        if (name != null) {
            arguments.word(name);
        }
        if (settings.getOracles() != null) {
            arguments.option("--oracle", oracle(name));
        }
        return arguments.option("--store", settings.getStore());
    }

    private File oracle(String name) {
        return new File(settings.getOracles(), name + ".json");
    }

    /** Adds the options for reports, and removes old ones, which could be mistaken for those of this build. */
    private Arguments withReports(Arguments arguments, String name) throws ButoException {
        File[] pages = settings.getReports().listFiles((directory, file) -> file.matches("buto-.*\\.html"));
        if (name == null && pages != null) {
            for (File page : pages) {
                fresh(page);
            }
        }
        return arguments
                .option("--junitxml", fresh(junitXml(name)))
                .option("--html", fresh(new File(settings.getReports(), base(name) + ".html")))
                .option("--markdown", fresh(new File(settings.getReports(), base(name) + ".md")));
    }

    private File junitXml(String name) {
        return new File(settings.getReports(), "TEST-" + base(name) + ".xml");
    }

    private static String base(String name) {
        return name == null ? "buto" : name;
    }

    private File fresh(File report) throws ButoException {
        try {
            Files.createDirectories(settings.getReports().toPath());
            Files.deleteIfExists(report.toPath());
        } catch (IOException failure) {
            throw new ButoException("the report " + report + " cannot be written: " + failure, "look at its directory");
        }
        return report;
    }

    private LongConsumer lasts(List<String> words) {
        return seconds -> progress.accept("buto " + words.get(0) + ": " + seconds + " s, and goes on");
    }

    private Outcome launch(Arguments arguments, List<String> program) throws ButoException {
        List<String> results = Collections.synchronizedList(new ArrayList<>());
        List<String> others = Collections.synchronizedList(new ArrayList<>());
        List<String> words = program == null ? arguments.toList() : arguments.with(program);
        headlines.clear();
        Outcome outcome =
                buto.run(words, directory, tool, output.andThen(results::add), output.andThen(others::add), lasts(words));
        headlines.addAll(Headlines.of(results, others));
        if (outcome == Outcome.REGRESSION) {
            results.forEach(failed);
        } else if (outcome != Outcome.PASS) {
            results.forEach(failed);
            others.forEach(failed);
        }
        return outcome;
    }
}
