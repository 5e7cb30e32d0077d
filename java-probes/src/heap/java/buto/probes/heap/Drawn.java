package buto.probes.heap;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import shark.HeapGraph;
import shark.HeapObject;

/** Some objects of one class: each byte is as likely as any other, so that large arrays come before small ones. */
final class Drawn {
    private static final int MOST = 100;
    private static final long SEED = 1;

    /** Of a class that is loaded again and again. */
    private static final int FEWEST_COPIES = 4;

    private final Random chance = new Random(SEED);

    /** By a random number that is larger for larger objects, the objects with the largest ones so far. */
    private final TreeMap<Double, Long> chosen = new TreeMap<>();

    private Drawn() {}

    /**
     * Draws of the objects of the class, whose name is as in Java source. Of classes themselves, it draws of those that
     * were loaded often: that is what a leak of class loaders leaves.
     */
    static Drawn of(HeapGraph graph, String type) {
        Drawn drawn = new Drawn();
        Texts texts = Texts.of(graph, type, drawn);
        if (type.equals("java.lang.Class")) {
            drawn.addCopies(graph);
            return drawn;
        }
        Set<Long> classes = classesOf(graph, type);
        for (Iterator<? extends HeapObject> objects = graph.getObjects().iterator(); objects.hasNext(); ) {
            HeapObject object = objects.next();
            if (isOf(object, type, classes) && !texts.have(object)) {
                drawn.add(object, object.getRecordSize());
            }
        }
        return drawn;
    }

    /** Returns the classes of a name, of which there may be several. To ask each object for its name would be slow. */
    static Set<Long> classesOf(HeapGraph graph, String name) {
        Set<Long> ids = new HashSet<>();
        for (Iterator<HeapObject.HeapClass> all = graph.getClasses().iterator(); all.hasNext(); ) {
            HeapObject.HeapClass type = all.next();
            if (name.equals(type.getName())) {
                ids.add(type.getObjectId());
            }
        }
        return ids;
    }

    private static boolean isOf(HeapObject object, String name, Set<Long> classes) {
        if (object instanceof HeapObject.HeapInstance) {
            return classes.contains(((HeapObject.HeapInstance) object).getInstanceClassId());
        }
        if (object instanceof HeapObject.HeapObjectArray) {
            return classes.contains(((HeapObject.HeapObjectArray) object).getArrayClassId());
        }
        return object instanceof HeapObject.HeapPrimitiveArray
                && name.equals(((HeapObject.HeapPrimitiveArray) object).getArrayClassName());
    }

    private void addCopies(HeapGraph graph) {
        Map<String, Integer> loaded = new HashMap<>();
        for (Iterator<HeapObject.HeapClass> all = graph.getClasses().iterator(); all.hasNext(); ) {
            loaded.merge(all.next().getName(), 1, Integer::sum);
        }
        for (Iterator<HeapObject.HeapClass> all = graph.getClasses().iterator(); all.hasNext(); ) {
            HeapObject.HeapClass type = all.next();
            if (loaded.get(type.getName()) >= FEWEST_COPIES) {
                add(type, 1);
            }
        }
    }

    /** Adds an object that counts for so many bytes. */
    void add(HeapObject object, int size) {
        chosen.put(Math.log(chance.nextDouble()) / size, object.getObjectId());
        if (chosen.size() > MOST) {
            chosen.pollFirstEntry();
        }
    }

    Set<Long> ids() {
        return new HashSet<>(chosen.values());
    }
}
