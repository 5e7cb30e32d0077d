package buto.gradle;

import buto.launcher.Settings;
import org.gradle.api.Action;
import org.gradle.api.NamedDomainObjectContainer;

/** {@code buto { ... }} in a build script. */
public class ButoExtension extends Settings {
    private final NamedDomainObjectContainer<ButoTest> tests;
    private boolean runWithCheck;
    private boolean ignoreFailures;

    public ButoExtension(NamedDomainObjectContainer<ButoTest> tests) {
        this.tests = tests;
    }

    /** The tests; without any, those of the project's {@code buto.yaml}. */
    public NamedDomainObjectContainer<ButoTest> getTests() {
        return tests;
    }

    /** Declares tests. */
    public void tests(Action<? super NamedDomainObjectContainer<ButoTest>> configuration) {
        configuration.execute(tests);
    }

    /** Whether {@code gradle check} runs {@code butoCheck}. */
    public boolean isRunWithCheck() {
        return runWithCheck;
    }

    public void setRunWithCheck(boolean runWithCheck) {
        this.runWithCheck = runWithCheck;
    }

    /** Whether a regression only causes a warning. A check without a verdict always fails the build. */
    public boolean isIgnoreFailures() {
        return ignoreFailures;
    }

    public void setIgnoreFailures(boolean ignoreFailures) {
        this.ignoreFailures = ignoreFailures;
    }
}
