package buto.testprograms.references;

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Lets the garbage collector decide how long an object stays; drops cleared references now and then. */
final class ReferenceManager implements ObjectManager {
    private final List<Reference<Object>> references = new ArrayList<>();
    private final Function<Object, Reference<Object>> wrap;
    private final int pruneEvery;
    private int added;

    /**
     * @param wrap creates the weak or soft reference
     * @param pruneEvery number of additions between two removals of cleared references
     */
    ReferenceManager(Function<Object, Reference<Object>> wrap, int pruneEvery) {
        this.wrap = wrap;
        this.pruneEvery = pruneEvery;
    }

    @Override
    public void add(Object object) {
        references.add(wrap.apply(object));
        if (++added % pruneEvery == 0) {
            references.removeIf(reference -> reference.get() == null);
        }
    }
}
