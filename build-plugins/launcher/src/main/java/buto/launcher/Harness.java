package buto.launcher;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.xml.sax.InputSource;

/**
 * Trains, checks, accepts and reports the tests of one module.
 *
 * <p>Without a program, a test is that of the {@code buto.yaml} in the module's directory, which says where its oracle
 * lies, too; without a name, all of its tests are meant.
 */
public final class Harness {
    private final Executable buto;
    private final File directory;
    private final Consumer<String> output;
    private final Consumer<String> failed;
    private File store;
    private File oracles;
    private File reports;
    private Integer runs;
    private Integer checkRuns;
    private String alpha;

    /**
     * @param directory of the module: where the programs run
     * @param output given each line that buto prints, as it comes
     * @param failed given all lines of a command that did not end with a pass, afterwards
     */
    public Harness(Executable buto, File directory, Consumer<String> output, Consumer<String> failed) {
        this.buto = buto;
        this.directory = directory;
        this.output = output;
        this.failed = failed;
    }

    /** Where runs are kept. Builds that share it measure one JVM at a time, for buto locks it. */
    public Harness store(File value) {
        store = value;
        return this;
    }

    /** The directory of the oracles, {@code NAME.json}; null leaves that to {@code buto.yaml}. */
    public Harness oracles(File value) {
        oracles = value;
        return this;
    }

    /** The directory of the reports. */
    public Harness reports(File value) {
        reports = value;
        return this;
    }

    /** How many runs train; null leaves that to buto. */
    public Harness runs(Integer value) {
        runs = value;
        return this;
    }

    /** How many runs are checked; null leaves that to buto. */
    public Harness checkRuns(Integer value) {
        checkRuns = value;
        return this;
    }

    /** The share of false alarms that is accepted; null leaves that to buto. */
    public Harness alpha(String value) {
        alpha = value;
        return this;
    }

    /** Learns what a test uses. */
    public Outcome train(String name, List<String> program) throws ButoException {
        Arguments arguments = about("train", name).option("--runs", runs).option("--alpha", alpha);
        return believed(launch(arguments, program), false);
    }

    /** Learns anew what a test uses, and tells how that differs from what was learned before. */
    public Outcome accept(String name, List<String> program) throws ButoException {
        if (lacksOracle(name)) {
            return Outcome.NO_ORACLE;
        }
        return believed(launch(aboutOne("accept", name).option("--runs", runs), program), false);
    }

    /** Checks a test by what was learned, and writes the reports. */
    public Outcome check(String name, List<String> program) throws ButoException {
        if (lacksOracle(name)) {
            return Outcome.NO_ORACLE;
        }
        Arguments arguments = about("check", name).option("--runs", checkRuns).option("--alpha", alpha);
        Outcome outcome = launch(withReports(arguments, name), program);
        outcome = believed(outcome, junitXml(name).isFile());
        boolean hidesOthers = name == null && outcome == Outcome.REGRESSION && hasErrors(junitXml(name));
        return hidesOthers ? Outcome.REGRESSION_AND_NOT_JUDGED : outcome;
    }

    /** Writes the reports anew from the runs of the last check, with no program started. */
    public Outcome report(String name) throws ButoException {
        return believed(launch(withReports(aboutOne("report", name), name), null), false);
    }

    /** Says so where there is none. Of the tests of a {@code buto.yaml}, buto knows where it lies, and says it. */
    private boolean lacksOracle(String name) {
        boolean lacks = oracles != null && !oracle(name).exists();
        if (lacks) {
            output.andThen(failed).accept(name + " has no oracle yet: " + oracle(name) + " does not exist");
        }
        return lacks;
    }

    /** A command that breaks off unexpectedly exits like one that found a regression; only the latter reports it. */
    private static Outcome believed(Outcome outcome, boolean reported) {
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
                    "buto " + command + " is about one test", "name it with -Dbuto.test= or -Pbuto.test=");
        }
        return about(command, name);
    }

    private Arguments about(String command, String name) {
        Arguments arguments = new Arguments(command);
        if (name != null) {
            arguments.word(name);
        }
        if (oracles != null) {
            arguments.option("--oracle", oracle(name));
        }
        return arguments.option("--store", store);
    }

    private File oracle(String name) {
        return new File(oracles, name + ".json");
    }

    /**
     * Each of them is removed before: what an earlier build said must not be taken for this one's. Of several tests,
     * each has a page of its own.
     */
    private Arguments withReports(Arguments arguments, String name) throws ButoException {
        File[] pages = reports.listFiles((directory, file) -> file.matches("buto-.*\\.html"));
        if (name == null && pages != null) {
            for (File page : pages) {
                fresh(page);
            }
        }
        return arguments
                .option("--junitxml", fresh(junitXml(name)))
                .option("--html", fresh(new File(reports, base(name) + ".html")))
                .option("--markdown", fresh(new File(reports, base(name) + ".md")));
    }

    private File junitXml(String name) {
        return new File(reports, "TEST-" + base(name) + ".xml");
    }

    private static String base(String name) {
        return name == null ? "buto" : name;
    }

    private File fresh(File report) throws ButoException {
        try {
            Files.createDirectories(reports.toPath());
            Files.deleteIfExists(report.toPath());
        } catch (IOException failure) {
            throw new ButoException("the report " + report + " cannot be written: " + failure, "look at its directory");
        }
        return report;
    }

    private Outcome launch(Arguments arguments, List<String> program) throws ButoException {
        List<String> said = Collections.synchronizedList(new ArrayList<>());
        List<String> words = program == null ? arguments.toList() : arguments.with(program);
        Outcome outcome = buto.run(words, directory, output.andThen(said::add));
        if (outcome != Outcome.PASS) {
            said.forEach(failed);
        }
        return outcome;
    }
}
