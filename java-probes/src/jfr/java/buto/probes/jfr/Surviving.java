package buto.probes.jfr;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import jdk.jfr.consumer.RecordedClass;

/**
 * Objects and classes that survived the last collection. Of what is younger than it, only what has a path to a root
 * counts: the rest may be garbage that no collection has found yet. Events are not in the order of time, so all wait
 * for the end.
 */
final class Surviving {
    /** Further ones are only counted: a hostile recording must not fill the memory. */
    private static final int MOST = 200_000;

    private static final class Born {
        final Folded.Key key;
        final double weight;
        final Instant time;
        /** That allocated it; of a class or a buffer, none. */
        final long thread;

        Born(Folded.Key key, double weight, Instant time, long thread) {
            this.key = key;
            this.thread = thread;
            this.weight = weight;
            this.time = time;
        }
    }

    private final List<Born> objects = new ArrayList<>();
    private final List<Born> buffers = new ArrayList<>();
    private final Map<Long, Born> classes = new HashMap<>();
    private final Set<Long> unloaded = new HashSet<>();
    /** A collection that counted all objects has found all garbage; others may leave some. */
    private Instant counted;
    private Instant collected;
    long cut;
    /** Changes of classes: with any, what is still loaded is not known. */
    long cutClasses;

    void allocated(Folded.Key key, long thread, double size, Instant time) {
        if (hasRoom()) {
            objects.add(new Born(key, size, time, thread));
        }
    }

    void allocatedBuffer(Folded.Key key, Instant time) {
        if (hasRoom()) {
            buffers.add(new Born(key, 1, time, 0));
        }
    }

    void defined(Folded.Key key, RecordedClass type, Instant time) {
        if (type != null && hasRoomForClass()) {
            classes.put(type.getId(), new Born(key, 1, time, 0));
        }
    }

    void unloaded(RecordedClass type) {
        if (type != null && hasRoomForClass()) {
            unloaded.add(type.getId());
        }
    }

    void countedAt(Instant time) {
        counted = later(counted, time);
    }

    void collectedAt(Instant time) {
        collected = later(collected, time);
    }

    /**
     * @param hasBuffers whether each reservation of a buffer is known, so that surviving ones do not matter
     * @param samples of allocations, for how many bytes an object stands
     */
    void addTo(Folded folded, boolean hasBuffers, AllocationSamples samples) {
        Instant last = counted != null ? counted : collected;
        objects.removeIf(one -> !isKept(one, last));
        // Of what is allocated outside the buffers each object is a candidate, and not each one a sample of its own.
        Map<AllocationSamples.Sample, Integer> shares = new IdentityHashMap<>();
        for (Born one : objects) {
            shares.merge(samples.at(one.thread, one.time), 1, Integer::sum);
        }
        for (Born one : objects) {
            AllocationSamples.Sample sample = samples.at(one.thread, one.time);
            folded.add(one.key, sample == null ? one.weight : sample.weight / shares.get(sample));
        }
        if (!hasBuffers) {
            add(buffers, last, folded);
        }
        if (cutClasses == 0) {
            classes.keySet().removeAll(unloaded);
            add(classes.values(), last, folded);
        }
    }

    private static void add(Iterable<Born> all, Instant last, Folded folded) {
        for (Born one : all) {
            if (isKept(one, last)) {
                folded.add(one.key, one.weight);
            }
        }
    }

    private static boolean isKept(Born one, Instant last) {
        return last == null || one.time.isBefore(last) || !one.key.path.isEmpty();
    }

    private boolean hasRoom() {
        boolean hasRoom = objects.size() + buffers.size() < MOST;
        cut += hasRoom ? 0 : 1;
        return hasRoom;
    }

    private boolean hasRoomForClass() {
        boolean hasRoom = classes.size() + unloaded.size() < MOST;
        cutClasses += hasRoom ? 0 : 1;
        return hasRoom;
    }

    private static Instant later(Instant one, Instant other) {
        return one == null || other.isAfter(one) ? other : one;
    }
}
