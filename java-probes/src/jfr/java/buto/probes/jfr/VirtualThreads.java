package buto.probes.jfr;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;

/** Reads the recording of one run, and prints when and where virtual threads were pinned or rejected (threads.md). */
public final class VirtualThreads {
    private static final Map<String, String> KINDS =
            Map.of("jdk.VirtualThreadPinned", "pinned", "jdk.VirtualThreadSubmitFailed", "rejected");

    /** How often, by kind and by milliseconds since 1970. */
    private final Map<String, Map<Long, Long>> times = new TreeMap<>();

    private final Map<String, Map<String, Long>> places = new TreeMap<>();

    private VirtualThreads() {}

    /** @param words the file */
    public static void main(String[] words) throws IOException {
        VirtualThreads threads = new VirtualThreads();
        try (RecordingFile recording = new RecordingFile(Path.of(words[0]))) {
            while (recording.hasMoreEvents()) {
                threads.add(recording.readEvent());
            }
        }
        try (PrintWriter out = new PrintWriter(System.out)) {
            out.print("buto-threads\t1\n");
            print("at", threads.times, out);
            print("in", threads.places, out);
            out.print("end\n");
        }
    }

    private void add(RecordedEvent event) {
        String kind = KINDS.get(event.getEventType().getName());
        if (kind != null) {
            long time = event.getEndTime().toEpochMilli();
            times.computeIfAbsent(kind, any -> new TreeMap<>()).merge(time, 1L, Long::sum);
            String place = place(event.getStackTrace());
            places.computeIfAbsent(kind, any -> new TreeMap<>()).merge(place, 1L, Long::sum);
        }
    }

    /** Returns the topmost method of the user's own code, with its line; empty if there is none. */
    private static String place(RecordedStackTrace trace) {
        if (trace == null) {
            return "";
        }
        for (RecordedFrame frame : trace.getFrames()) {
            RecordedMethod method = frame.getMethod();
            String owner = method == null || method.getType() == null ? "" : method.getType().getName();
            if (Frames.isUsers(method == null ? null : method.getType(), owner)) {
                String name = Names.ofClass(owner) + "." + Names.ofMethod(method.getName());
                return Names.plain(name + ":" + frame.getLineNumber());
            }
        }
        return "";
    }

    private static void print(String word, Map<String, ? extends Map<?, Long>> counts, PrintWriter out) {
        counts.forEach((kind, of) -> of.forEach(
                (key, count) -> out.print(word + "\t" + kind + "\t" + key + "\t" + count + "\n")));
    }
}
