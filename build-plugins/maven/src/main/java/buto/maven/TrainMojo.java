package buto.maven;

import buto.launcher.ButoException;
import buto.launcher.Harness;
import buto.launcher.Outcome;
import buto.launcher.Results;
import java.util.List;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.ResolutionScope;

/** Launches the programs several times and learns what they use; to be called by hand, and its files committed. */
@Mojo(name = "train", requiresDependencyResolution = ResolutionScope.TEST, threadSafe = true)
public final class TrainMojo extends AbstractButoMojo {
    @Override
    Outcome carryOut(Harness harness, String name, List<String> program) throws ButoException {
        return harness.train(name, program);
    }

    @Override
    void conclude(Results results) throws MojoExecutionException {
        if (results.broken() != null) {
            throw new MojoExecutionException(results.broken());
        }
    }
}
