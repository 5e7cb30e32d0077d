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
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;

/**
 * How long files were open, from traces of the JDK's methods that open and close one.
 *
 * <p>A trace does not say which file. So a file that is closed is taken to be the one that its thread opened last, or else
 * the oldest of all. The mean number of open files does not depend on that, but whose files they are does. The JDK's own
 * thread closes the pipes of a process that exits, so these are told apart: it closes the oldest pipe.
 */
final class OpenFiles {
    private static final String CLOSING = "java.io.FileDescriptor";
    private static final String PROCESS = "java.lang.ProcessImpl";
    private static final String PIPE = PROCESS + "$";
    /** Those whose methods are traced. */
    static final Set<String> CLASSES =
            Set.of("java.io.FileCleanable", "sun.nio.fs.UnixChannelFactory", PROCESS, CLOSING);
    /** With more, nothing is told of files: a hostile recording must not fill the memory. */
    private static final int MOST = 500_000;

    private static final class Change {
        final Folded.Key key;
        final Instant time;
        final long thread;
        final boolean isOpening;
        final boolean isPipe;
        /** Of an opening: when the file was closed. */
        Instant end;

        Change(Folded.Key key, Instant time, long thread, boolean isOpening, boolean isPipe) {
            this.key = key;
            this.time = time;
            this.thread = thread;
            this.isOpening = isOpening;
            this.isPipe = isPipe;
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
        boolean isOpening = !type.equals(CLOSING);
        changes.add(new Change(
                key,
                event.getEndTime(),
                thread == null ? 0 : thread.getId(),
                isOpening,
                isOpening ? type.equals(PROCESS) : isByPipe(event.getStackTrace())));
    }

    private static boolean isByPipe(RecordedStackTrace stack) {
        return stack != null
                && stack.getFrames().stream()
                        .map(RecordedFrame::getMethod)
                        .anyMatch(one -> one != null && one.getType() != null && one.getType().getName().startsWith(PIPE));
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
        Deque<Change> pipes = new ArrayDeque<>();
        changes.sort(Comparator.comparing(one -> one.time));
        for (Change one : changes) {
            Deque<Change> own = ofThread.computeIfAbsent(one.thread, any -> new ArrayDeque<>());
            if (one.isOpening) {
                openings.add(one);
                own.addLast(one);
                ofAll.addLast(one);
                if (one.isPipe) {
                    pipes.addLast(one);
                }
                continue;
            }
            Change closed = one.isPipe ? stillOpen(pipes, Deque::pollFirst) : stillOpen(own, Deque::pollLast);
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
