package buto.maven;

import buto.launcher.ButoException;
import buto.launcher.Harness;
import buto.launcher.Outcome;
import buto.launcher.Results;
import java.util.List;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;
import org.apache.maven.plugins.annotations.ResolutionScope;

/** Launches the programs and checks them against their oracles; a regression fails the build. */
@Mojo(
        name = "check",
        defaultPhase = LifecyclePhase.VERIFY,
        requiresDependencyResolution = ResolutionScope.TEST,
        threadSafe = true)
public final class CheckMojo extends AbstractButoMojo {
    /** Whether a regression fails the build; otherwise it causes a warning. A check without a verdict always fails. */
    @Parameter(property = "buto.failOnRegression", defaultValue = "true")
    private boolean failOnRegression;

    /** Whether tests are skipped, also these. */
    @Parameter(property = "skipTests", defaultValue = "false")
    private boolean skipTests;

    /** Whether integration tests are skipped, also these. */
    @Parameter(property = "skipITs", defaultValue = "false")
    private boolean skipITs;

    /** Whether tests are not even compiled; then these are skipped too. */
    @Parameter(property = "maven.test.skip", defaultValue = "false")
    private boolean skipAllTests;

    @Override
    boolean isSkipped() throws MojoExecutionException {
        // Who types the goal means it: -DskipTests is then about all other tests.
        return super.isSkipped() || (!isTyped() && (skipTests || skipITs || skipAllTests));
    }

    @Override
    Outcome carryOut(Harness harness, String name, List<String> program) throws ButoException {
        return harness.check(name, program);
    }

    @Override
    void conclude(Results results) throws MojoExecutionException, MojoFailureException {
        if (results.regressions() != null) {
            if (isOn("failOnRegression", failOnRegression)) {
                throw new MojoFailureException(results.regressions());
            }
            getLog().warn(results.regressions());
        }
        super.conclude(results);
    }
}
