package buto.probes.jfr;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedThread;

/**
 * How long files were open, from traces of the JDK's methods that open and close one.
 *
 * <p>A trace does not say which file. So a file that is closed is taken to be the one that its thread opened last, or else
 * the oldest of all. The mean number of open files does not depend on that.
 */
final class OpenFiles {
    private static final String CLOSING = "java.io.FileDescriptor";
    /** Those whose methods are traced. */
    static final Set<String> CLASSES = Set.of("java.io.FileCleanable", "sun.nio.fs.UnixChannelFactory", CLOSING);
    /** With more, nothing is told of files: a hostile recording must not fill the memory. */
    private static final int MOST = 500_000;

    private static final class Change {
        final Folded.Key key;
        final Instant time;
        final long thread;
        final boolean isOpening;
        /** Of an opening: when the file was closed. */
        Instant end;

        Change(Folded.Key key, Instant time, long thread, boolean isOpening) {
            this.key = key;
            this.time = time;
            this.thread = thread;
            this.isOpening = isOpening;
        }
    }

    private final List<Change> changes = new ArrayList<>();
    long cut;

    void add(Folded.Key key, String type, RecordedEvent event) {
        if (key == null) {
            return;
        }
        if (changes.size() >= MOST) {
            cut++;
            return;
        }
        RecordedThread thread = event.getThread();
        changes.add(new Change(
                key, event.getEndTime(), thread == null ? 0 : thread.getId(), !type.equals(CLOSING)));
    }

    /** Adds what each file was open of the whole time, so that the sum is the mean number of open files. */
    void addTo(Folded folded, Instant first, Instant last) {
        if (cut > 0) {
            return;
        }
        double whole = last.isAfter(first) ? nanos(first, last) : 1;
        for (Change opening : matched()) {
            folded.add(opening.key, Math.max(nanos(opening.time, opening.end == null ? last : opening.end), 0) / whole);
        }
    }

    private List<Change> matched() {
        List<Change> openings = new ArrayList<>();
        Map<Long, Deque<Change>> ofThread = new HashMap<>();
        Deque<Change> ofAll = new ArrayDeque<>();
        changes.sort(Comparator.comparing(one -> one.time));
        for (Change one : changes) {
            Deque<Change> own = ofThread.computeIfAbsent(one.thread, any -> new ArrayDeque<>());
            if (one.isOpening) {
                openings.add(one);
                own.addLast(one);
                ofAll.addLast(one);
                continue;
            }
            Change closed = stillOpen(own, Deque::pollLast);
            closed = closed == null ? stillOpen(ofAll, Deque::pollFirst) : closed;
            if (closed != null) {
                closed.end = one.time;
            }
        }
        return Collections.unmodifiableList(openings);
    }

    private interface Taking {
        Change from(Deque<Change> openings);
    }

    private static Change stillOpen(Deque<Change> openings, Taking taking) {
        Change next = taking.from(openings);
        while (next != null && next.end != null) {
            next = taking.from(openings);
        }
        return next;
    }

    private static double nanos(Instant from, Instant to) {
        return Duration.between(from, to).toNanos();
    }
}
