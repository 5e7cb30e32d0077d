package buto.probes.heap;

import java.util.Arrays;
import java.util.Iterator;
import java.util.Set;
import shark.HeapField;
import shark.HeapGraph;
import shark.HeapObject;

/** The arrays of strings. shark does not look into strings, so that each string stands for its array. */
final class Texts {
    private static final String STRING = "java.lang.String";

    private long[] arrays = new long[1024];
    private int count;

    private Texts() {}

    /** Draws of the strings in place of their arrays, if objects of this class are arrays of strings. */
    static Texts of(HeapGraph graph, String type, Drawn drawn) {
        Texts texts = new Texts();
        if (type.equals("byte[]") || type.equals("char[]")) {
            Set<Long> strings = Drawn.classesOf(graph, STRING);
            for (Iterator<? extends HeapObject> objects = graph.getObjects().iterator(); objects.hasNext(); ) {
                texts.look(objects.next(), type, strings, drawn);
            }
            Arrays.sort(texts.arrays, 0, texts.count);
        }
        return texts;
    }

    private void look(HeapObject object, String type, Set<Long> strings, Drawn drawn) {
        if (!(object instanceof HeapObject.HeapInstance)) {
            return;
        }
        HeapObject.HeapInstance text = (HeapObject.HeapInstance) object;
        HeapField value = strings.contains(text.getInstanceClassId()) ? text.get(STRING, "value") : null;
        HeapObject.HeapPrimitiveArray array = value == null ? null : value.getValueAsPrimitiveArray();
        if (array != null && type.equals(array.getArrayClassName())) {
            drawn.add(text, array.getRecordSize());
            if (count == arrays.length) {
                arrays = Arrays.copyOf(arrays, 2 * count);
            }
            arrays[count++] = array.getObjectId();
        }
    }

    /** Whether an object is the array of a string. */
    boolean have(HeapObject object) {
        return Arrays.binarySearch(arrays, 0, count, object.getObjectId()) >= 0;
    }
}
