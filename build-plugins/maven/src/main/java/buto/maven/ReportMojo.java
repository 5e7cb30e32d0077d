package buto.maven;

import buto.launcher.ButoException;
import buto.launcher.Harness;
import buto.launcher.Outcome;
import java.util.List;
import org.apache.maven.plugins.annotations.Mojo;

/** Writes the reports of the last check again; starts no program. */
@Mojo(name = "report", threadSafe = true)
public final class ReportMojo extends AbstractButoMojo {
    @Override
    Outcome carryOut(Harness harness, String name, List<String> program) throws ButoException {
        return harness.report(name);
    }
}
