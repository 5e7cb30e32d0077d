package shark;

import kotlin.sequences.Sequence;

public interface HeapGraph {
    Sequence<HeapObject> getObjects();

    Sequence<HeapObject.HeapClass> getClasses();
}
