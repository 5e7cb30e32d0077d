package buto.gradle;

import buto.launcher.ButoException;
import buto.launcher.Harness;
import buto.launcher.Outcome;
import java.util.List;

/** Names the methods that use more than in the stored profiles of the programs. Run it by hand. */
public class ButoWhy extends ButoTask {
    @Override
    Outcome carryOut(Harness harness, String name, List<String> program) throws ButoException {
        return harness.why(name, program);
    }
}
