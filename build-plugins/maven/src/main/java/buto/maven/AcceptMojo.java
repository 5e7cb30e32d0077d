package buto.maven;

import buto.launcher.ButoException;
import buto.launcher.Harness;
import buto.launcher.Outcome;
import java.util.List;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.ResolutionScope;

/** Accepts a change: trains again, and reports how the new oracles differ from the old ones. Run it by hand. */
@Mojo(name = "accept", requiresDependencyResolution = ResolutionScope.TEST, threadSafe = true)
public final class AcceptMojo extends AbstractButoMojo {
    @Override
    Outcome carryOut(Harness harness, String name, List<String> program) throws ButoException {
        return harness.accept(name, program);
    }
}
