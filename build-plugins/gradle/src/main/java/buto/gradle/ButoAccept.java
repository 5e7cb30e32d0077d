package buto.gradle;

import buto.launcher.ButoException;
import buto.launcher.Harness;
import buto.launcher.Outcome;
import java.util.List;

/** Accepts a change: trains again, and reports how the new oracles differ from the old ones. Run it by hand. */
public class ButoAccept extends ButoTask {
    @Override
    Outcome carryOut(Harness harness, String name, List<String> program) throws ButoException {
        return harness.accept(name, program);
    }
}
