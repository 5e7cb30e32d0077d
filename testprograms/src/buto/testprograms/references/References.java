package buto.testprograms.references;

import buto.testprograms.launch.Arguments;
import buto.testprograms.launch.ExitAfter;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;

/** Creates objects at a steady rate and keeps them by strong, weak or soft references. */
public final class References {
    private References() {
    }

    public static void main(String[] line) {
        Arguments arguments = new Arguments(References.class)
            .choice("manager", "how objects are kept", "strong", "weak", "soft")
            .count("rate", 500, "objects created in a second")
            .duration("tick", "20ms", "time between two batches of objects")
            .size("object-size", "64k", "mean bytes of an object, which vary by half")
            .count("limit", 500, "strong: length at which the list is emptied")
            .count("prune-every", 100, "weak, soft: additions between two removals of cleared references")
            .parse(line);
        Creator creator = new Creator(manager(arguments), arguments);
        ExitAfter.start(arguments.nanos("duration"), creator::summary);
        creator.run();
    }

    private static ObjectManager manager(Arguments arguments) {
        int pruneEvery = arguments.integer("prune-every");
        switch (arguments.chosen("manager")) {
            case "weak":
                return new ReferenceManager(WeakReference::new, pruneEvery);
            case "soft":
                return new ReferenceManager(SoftReference::new, pruneEvery);
            default:
                return new StrongManager(arguments.integer("limit"));
        }
    }
}
