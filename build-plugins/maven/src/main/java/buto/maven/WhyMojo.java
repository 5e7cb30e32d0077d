package buto.maven;

import buto.launcher.ButoException;
import buto.launcher.Harness;
import buto.launcher.Outcome;
import java.util.List;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.ResolutionScope;

/** Names the methods that use more than in the stored profile of the program. Run it by hand. */
@Mojo(name = "why", requiresDependencyResolution = ResolutionScope.TEST, threadSafe = true)
public final class WhyMojo extends AbstractButoMojo {
    @Override
    Outcome carryOut(Harness harness, String name, List<String> program) throws ButoException {
        return harness.why(name, program);
    }
}
