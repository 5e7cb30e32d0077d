package buto.gradle;

import buto.launcher.ButoException;
import buto.launcher.Harness;
import buto.launcher.Outcome;
import java.util.List;

/** Accepts a change: learns anew, and tells what differs from what was learned before. To be called by hand. */
public class ButoAccept extends ButoTask {
    @Override
    Outcome carryOut(Harness harness, String name, List<String> program) throws ButoException {
        return harness.accept(name, program);
    }
}
