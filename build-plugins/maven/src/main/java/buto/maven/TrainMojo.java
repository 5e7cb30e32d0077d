package buto.maven;

import buto.launcher.ButoException;
import buto.launcher.Harness;
import buto.launcher.Outcome;
import java.util.List;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.ResolutionScope;

/** Launches the programs several times and writes their oracles. Run it by hand, and commit the files. */
@Mojo(name = "train", requiresDependencyResolution = ResolutionScope.TEST, threadSafe = true)
public final class TrainMojo extends AbstractButoMojo {
    @Override
    Outcome carryOut(Harness harness, String name, List<String> program) throws ButoException {
        return harness.train(name, program);
    }
}
