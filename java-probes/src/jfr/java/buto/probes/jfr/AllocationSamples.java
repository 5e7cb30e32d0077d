package buto.probes.jfr;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.consumer.RecordedThread;

/**
 * Samples of allocations. The weight of a sample is what its thread has allocated since its last one, and that of the
 * first since the thread began: of a recording that begins later, what came before is taken off. Events are not in the order of time, so all wait for the end.
 */
final class AllocationSamples {
    /** Further ones are counted as they are: a hostile recording must not fill the memory. */
    private static final int MOST = 400_000;

    /** Within so long after the first, numbers of threads are of the recording's begin, not of a later part. */
    private static final Duration AT_THE_BEGIN = Duration.ofMillis(100);

    /** From a kept object to the sample that was taken with it, which is next. */
    private static final Duration NEXT = Duration.ofMillis(100);

    private static final Comparator<Sample> BY_TIME = Comparator.comparing(one -> one.time);

    static final class Sample {
        final Folded.Key key;
        final Instant time;
        final double weight;

        Sample(Folded.Key key, Instant time, double weight) {
            this.key = key;
            this.time = time;
            this.weight = weight;
        }
    }

    private final double uncounted;
    private final Map<Long, List<Sample>> samples = new HashMap<>();
    private final Map<Long, Sample> before = new HashMap<>();
    private int size;

    /** @param uncounted bytes of a thread's present buffer, which a sample may not have counted yet */
    AllocationSamples(double uncounted) {
        this.uncounted = uncounted;
    }

    /** Notes what a thread had allocated when a part of the recording began. */
    void allocatedBefore(RecordedThread thread, Instant time, double bytes) {
        if (thread != null && (before.size() < MOST || before.containsKey(thread.getId()))) {
            Sample sample = new Sample(null, time, bytes);
            before.merge(thread.getId(), sample, (one, other) -> other.time.isBefore(one.time) ? other : one);
        }
    }

    void add(RecordedThread thread, Instant time, Folded.Key key, double weight, Folded folded) {
        if (thread == null || size >= MOST) {
            folded.add(key, weight);
            return;
        }
        size++;
        samples.computeIfAbsent(thread.getId(), any -> new ArrayList<>()).add(new Sample(key, time, weight));
    }

    /** Puts the samples in the order of time and corrects the first of each thread; call it once, before all below. */
    void finish() {
        Instant begin = before.values().stream().map(one -> one.time).min(Instant::compareTo).orElse(Instant.MIN);
        samples.forEach((thread, own) -> {
            own.sort(BY_TIME);
            Sample earlier = before.get(thread);
            Sample first = own.get(0);
            boolean isOlder = earlier != null
                    && !earlier.time.isAfter(begin.plus(AT_THE_BEGIN))
                    && !first.time.isBefore(earlier.time)
                    // Else the recording has lost its beginning, with an earlier sample of this thread.
                    && first.weight >= earlier.weight - uncounted;
            if (isOlder) {
                own.set(0, new Sample(first.key, first.time, Math.max(0, first.weight - earlier.weight)));
            }
        });
    }

    void addTo(Folded folded) {
        samples.values().forEach(own -> own.forEach(one -> folded.add(one.key, one.weight)));
    }

    /** Returns the sample that was taken with a thread's allocation at a time, or is the next; null without one. */
    Sample at(long thread, Instant time) {
        List<Sample> own = samples.get(thread);
        if (own == null) {
            return null;
        }
        int found = Collections.binarySearch(own, new Sample(null, time, 0), BY_TIME);
        int place = found < 0 ? -found - 1 : found;
        boolean isThere = place < own.size() && !own.get(place).time.isAfter(time.plus(NEXT));
        return isThere ? own.get(place) : null;
    }
}
