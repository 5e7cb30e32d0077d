package buto.junit;

import buto.launcher.BuildTool;
import buto.launcher.ButoException;
import buto.launcher.Executable;
import buto.launcher.Harness;
import buto.launcher.MeasuredTest;
import buto.launcher.Outcome;
import buto.launcher.Results;
import buto.launcher.RootProject;
import buto.launcher.Settings;
import buto.launcher.Typed;
import java.io.File;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/** One scenario, trained, checked or explained by buto. */
final class Measurement {
    /** Settings of JUnit beside those of all builds, and those of Maven's goals, which run in the same build. */
    private static final List<String> OTHERS =
            Arrays.asList("train", "accept", "why", "skip", "test", "failOnRegression");

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
        Settings settings = settings();
        MeasuredTest test = test(testClass, scenario);
        List<String> program = test.commandLine(settings.getJava(), classpath(), directory());
        BuildTool tool = new Rerun(testClass, scenario);
        Consumer<String> print = System.out::println;
        Executable buto = Executable.find(settings.getExecutable(), new Neighbours(), tool.executable(), print);
        boolean explains = options.isOn("why");
        boolean trains = options.isOn("accept") || options.isOn("train");
        Consumer<String> output = explains || trains ? print : line -> { };
        List<String> said = new ArrayList<>();
        Harness harness = new Harness(buto, settings, tool, directory(), output, print, said::add);
        String name = test.getName();
        Results results = new Results(tool, settings.getReports());
        results.add(name, run(harness, name, program), harness.headlines());
        conclude(results, said);
        if (explains) {
            throw new TestAbortedException(
                    "explained " + name + ": see " + new File(settings.getReports(), name + "-why.html"));
        }
        if (trains) {
            throw new TestAbortedException(
                    "trained " + name + "; commit its oracle in " + settings.getOracles() + " and run again");
        }
    }

    private Outcome run(Harness harness, String name, List<String> program) throws ButoException {
        if (options.isOn("why")) {
            return harness.why(name, program);
        }
        if (options.isOn("accept")) {
            return harness.accept(name, program);
        }
        return options.isOn("train") ? harness.train(name, program) : harness.check(name, program);
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

    private Settings settings() throws ButoException {
        Settings settings = new Settings();
        settings.setJava(new File(System.getProperty("java.home"), "bin/java"));
        settings.setStore(new File(RootProject.of(directory()), ".buto"));
        settings.setOracles(file("src/test/buto"));
        settings.setReports(file(new File("pom.xml").isFile() ? "target/buto-reports" : "build/reports/buto"));
        settings.setRuns(wanted.runs() == 0 ? null : Integer.valueOf(wanted.runs()));
        settings.setCheckRuns(wanted.checkRuns() == 0 ? null : Integer.valueOf(wanted.checkRuns()));
        settings.setNeverGrows(neverGrows);
        settings.setAlpha(wanted.alpha().isEmpty() ? null : wanted.alpha());
        Typed.refuseUnknown(System.getProperties().stringPropertyNames(), OTHERS, "-D");
        Typed.apply(settings, name -> options.text(name).orElse(null), path -> file(path.toString()));
        return settings;
    }

    private static File file(String path) {
        return new File(path).getAbsoluteFile();
    }

    private static void conclude(Results results, List<String> said) throws ButoException, ScenarioFailure {
        if (results.regressions() != null) {
            throw new ScenarioChange(results.regressions(), said);
        }
        if (results.broken() != null) {
            ScenarioFailure.throwIfTold(said);
            throw new ButoException(results.broken(), Findings.beside(results.broken(), said));
        }
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
