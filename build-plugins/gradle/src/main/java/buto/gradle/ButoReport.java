package buto.gradle;

import buto.launcher.ButoException;
import buto.launcher.Harness;
import buto.launcher.Outcome;
import java.util.List;

/** Writes the reports of the last check again; starts no program. */
public class ButoReport extends ButoTask {
    @Override
    Outcome carryOut(Harness harness, String name, List<String> program) throws ButoException {
        return harness.report(name);
    }
}
