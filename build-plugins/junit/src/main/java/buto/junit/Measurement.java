package buto.junit;

import buto.launcher.BuildTool;
import buto.launcher.ButoException;
import buto.launcher.Executable;
import buto.launcher.Harness;
import buto.launcher.MeasuredTest;
import buto.launcher.Outcome;
import buto.launcher.Results;
import buto.launcher.Settings;
import java.io.File;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/** One scenario, trained, checked or explained by buto. */
final class Measurement {
    private final ButoTest wanted;
    private final Integer neverGrows;
    private final Options options;

    /** @param neverGrows number of rounds over which nothing may grow; null if anything may */
    Measurement(ButoTest wanted, Integer neverGrows, ExtensionContext context) {
        this.wanted = wanted;
        this.neverGrows = neverGrows;
        this.options = new Options(context);
    }

    /**
     * Trains, checks or explains a scenario.
     *
     * @throws AssertionFailedError for a regression
     * @throws TestAbortedException after training, accepting or explaining, because nothing was checked
     * @throws ScenarioFailure if the scenario threw an exception, and an AssertionFailedError if that was an assertion
     * @throws ButoException if there is no verdict
     */
    void carryOut(Class<?> testClass, Method scenario) throws ButoException, ScenarioFailure {
        MeasuredTest test = test(testClass, scenario);
        List<String> program = test.commandLine(java(), classpath(), directory());
        File executable = options.text("executable").map(File::new).orElse(null);
        BuildTool tool = new Rerun(testClass, scenario);
        Executable buto = Executable.find(executable, new Neighbours(), tool.executable(), System.out::println);
        List<String> said = new ArrayList<>();
        Results results = new Results(tool, reports());
        String name = test.getName();
        if (options.isOn("why")) {
            Harness harness = new Harness(buto, settings(), tool, directory(), System.out::println, System.out::println, said::add);
            results.add(name, harness.why(name, program), harness.headlines());
            conclude(results, said);
            throw new TestAbortedException(
                    "explained " + name + ": see " + new File(reports(), name + "-why.html"));
        }
        boolean accepts = options.isOn("accept");
        if (accepts || options.isOn("train")) {
            Harness harness = new Harness(buto, settings(), tool, directory(), System.out::println, System.out::println, said::add);
            Outcome outcome = accepts ? harness.accept(name, program) : harness.train(name, program);
            results.add(name, outcome, harness.headlines());
            conclude(results, said);
            throw new TestAbortedException(
                    "trained " + name + "; commit its oracle in " + oracles() + " and run again");
        }
        Harness silent = new Harness(buto, settings(), tool, directory(), line -> { }, System.out::println, said::add);
        results.add(name, silent.check(name, program), silent.headlines());
        conclude(results, said);
    }

    private static File directory() {
        return new File("").getAbsoluteFile();
    }

    private MeasuredTest test(Class<?> testClass, Method scenario) {
        MeasuredTest test = new MeasuredTest();
        test.setName(testClass.getName().replace('$', '.') + "." + scenario.getName());
        test.setMainClass(Scenario.class.getName());
        test.setArguments(Arrays.asList(testClass.getName(), scenario.getName()));
        test.setJvmArguments(Arrays.asList(wanted.jvmArguments()));
        return test;
    }

    private Settings settings() {
        Settings settings = new Settings();
        settings.setStore(options.file("store", ".buto"));
        settings.setOracles(oracles());
        settings.setReports(reports());
        settings.setRuns(options.text("runs").map(Integer::valueOf).orElse(wanted.runs() == 0 ? null : wanted.runs()));
        settings.setPairs(options.text("pairs").map(Integer::valueOf).orElse(null));
        settings.setProfile(options.isOn("profile"));
        settings.setCheckRuns(wanted.checkRuns() == 0 ? null : wanted.checkRuns());
        settings.setNeverGrows(neverGrows);
        settings.setAlpha(wanted.alpha().isEmpty() ? null : wanted.alpha());
        return settings;
    }

    private File oracles() {
        return options.file("oracles", "src/test/buto");
    }

    private File reports() {
        boolean maven = new File("pom.xml").isFile();
        return options.file("reports", maven ? "target/buto-reports" : "build/reports/buto");
    }

    private static void conclude(Results results, List<String> said) throws ButoException, ScenarioFailure {
        if (results.regressions() != null) {
            throw new AssertionFailedError(results.regressions(), new Findings(said));
        }
        if (results.broken() != null) {
            ScenarioFailure.throwIfTold(said);
            String output = String.join(System.lineSeparator(), said);
            throw new ButoException(results.broken() + System.lineSeparator() + output);
        }
    }

    private static File java() {
        return new File(System.getProperty("java.home"), "bin/java");
    }

    /** The class path of this JVM. If Surefire starts it with a manifest jar, a system property has the real one. */
    private static List<File> classpath() {
        String paths = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        List<File> entries = new ArrayList<>();
        for (String path : paths.split(Pattern.quote(File.pathSeparator))) {
            entries.add(new File(path).getAbsoluteFile());
        }
        return entries;
    }
}
