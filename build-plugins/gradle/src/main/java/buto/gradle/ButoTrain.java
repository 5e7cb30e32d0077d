package buto.gradle;

import buto.launcher.ButoException;
import buto.launcher.Harness;
import buto.launcher.Outcome;
import java.util.List;

/** Launches the programs several times and writes their oracles. Run it by hand, and commit the files. */
public class ButoTrain extends ButoTask {
    @Override
    Outcome carryOut(Harness harness, String name, List<String> program) throws ButoException {
        return harness.train(name, program);
    }
}
