package buto.gradle;

import buto.launcher.ButoException;
import buto.launcher.Harness;
import buto.launcher.Outcome;
import buto.launcher.Results;
import java.util.List;
import org.gradle.api.GradleException;
import org.gradle.api.tasks.Internal;
import org.gradle.api.tasks.VerificationTask;

/** Launches the programs and checks them against their oracles; a regression fails the build. */
public class ButoCheck extends ButoTask implements VerificationTask {
    private boolean ignoreFailures;

    @Override
    @Internal
    public boolean getIgnoreFailures() {
        return ignoreFailures;
    }

    @Override
    public void setIgnoreFailures(boolean ignoreFailures) {
        this.ignoreFailures = ignoreFailures;
    }

    @Override
    Outcome carryOut(Harness harness, String name, List<String> program) throws ButoException {
        return harness.check(name, program);
    }

    @Override
    void conclude(Results results) {
        if (results.regressions() != null) {
            if (!ignoreFailures) {
                throw new GradleException(results.regressions());
            }
            getLogger().warn(results.regressions());
        }
        super.conclude(results);
    }
}
