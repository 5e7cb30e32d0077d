package buto.maven;

import buto.launcher.ButoException;
import buto.launcher.Harness;
import buto.launcher.Outcome;
import buto.launcher.Results;
import java.util.List;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.ResolutionScope;

/** Accepts a change: learns anew, and tells what differs from what was learned before. To be called by hand. */
@Mojo(name = "accept", requiresDependencyResolution = ResolutionScope.TEST, threadSafe = true)
public final class AcceptMojo extends AbstractButoMojo {
    @Override
    Outcome carryOut(Harness harness, String name, List<String> program) throws ButoException {
        return harness.accept(name, program);
    }

    @Override
    void conclude(Results results) throws MojoExecutionException {
        if (results.broken() != null) {
            throw new MojoExecutionException(results.broken());
        }
    }
}
