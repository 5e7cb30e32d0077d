import java.io.*;
import java.nio.file.*;
import java.util.*;

class JournalBase implements Journal {
    private final Path dir;
    private final Map<String, Writer> open = new HashMap<>();

    JournalBase(Path dir) { this.dir = dir; }

    private Writer writer(String name) throws IOException {
        Writer w = open.get(name);
        if (w == null) open.put(name, w = Journals.open(dir, name));
        return w;
    }

    public void append(String topic, int sequence, String event) throws IOException {
        writer(topic + ".log").append(event).append('\n');
        if (sequence % 100 == 0) writer(topic + ".idx").append(sequence + "\n");
    }

    public void flush() throws IOException {
        for (Writer w : open.values()) w.flush();
    }
}

/** With a recovery point every 80,000 events. */
class JournalSmall implements Journal {
    private final Path dir;
    private final Map<String, Writer> open = new HashMap<>();
    private RandomAccessFile[] marks = {};

    JournalSmall(Path dir) { this.dir = dir; }

    private Writer writer(String name) throws IOException {
        Writer w = open.get(name);
        if (w == null) open.put(name, w = Journals.open(dir, name));
        return w;
    }

    public void append(String topic, int sequence, String event) throws IOException {
        writer(topic + ".log").append(event).append('\n');
        if (sequence % 100 == 0) writer(topic + ".idx").append(sequence + "\n");
        if (sequence % 80_000 == 0) mark(sequence);
    }

    private void mark(int sequence) throws IOException {
        RandomAccessFile f = new RandomAccessFile(dir.resolve("mark-" + sequence).toFile(), "rw");
        f.write(Integer.toString(sequence).getBytes());
        marks = Arrays.copyOf(marks, marks.length + 1);
        marks[marks.length - 1] = f;
    }

    public void flush() throws IOException {
        for (Writer w : open.values()) w.flush();
    }
}

/** A fresh writer every 1000 lines, in case somebody has rotated the file away. */
class JournalLarge implements Journal {
    private final Path dir;
    private final Map<String, Deque<Writer>> open = new HashMap<>();
    private final Map<String, Integer> lines = new HashMap<>();

    JournalLarge(Path dir) { this.dir = dir; }

    private Writer writer(String name) throws IOException {
        Deque<Writer> segments = open.computeIfAbsent(name, t -> new ArrayDeque<>());
        if (lines.merge(name, 1, Integer::sum) % 1000 == 1) {
            if (!segments.isEmpty()) segments.getLast().flush();
            segments.addLast(Journals.open(dir, name));
        }
        return segments.getLast();
    }

    public void append(String topic, int sequence, String event) throws IOException {
        writer(topic + ".log").append(event).append('\n');
        if (sequence % 100 == 0) writer(topic + ".idx").append(sequence + "\n");
    }

    public void flush() throws IOException {
        for (Deque<Writer> d : open.values()) for (Writer w : d) w.flush();
    }
}

class JournalHarmless1 implements Journal {
    private static final int INDEX_EVERY = 100;
    private final Map<String, Writer> writers = new TreeMap<>();
    private final Path directory;

    JournalHarmless1(Path directory) { this.directory = directory; }

    @Override public void append(String topic, int sequence, String event) throws IOException {
        line(topic + ".log", event);
        if (sequence % INDEX_EVERY == 0) line(topic + ".idx", Integer.toString(sequence));
    }

    private void line(String file, String text) throws IOException {
        Writer writer = writers.get(file);
        if (writer == null) {
            writer = Journals.open(directory, file);
            writers.put(file, writer);
        }
        writer.write(text);
        writer.write('\n');
    }

    @Override public void flush() throws IOException {
        for (Writer writer : writers.values()) writer.flush();
    }
}

class JournalHarmless2 implements Journal {
    private static final class Target {
        private final Writer out;

        Target(Writer out) { this.out = out; }

        void line(String s) throws IOException {
            out.append(s).append('\n');
        }
    }

    private final Map<String, Target> targets = new LinkedHashMap<>();
    private final Path dir;

    JournalHarmless2(Path dir) { this.dir = dir; }

    private Target target(String name) throws IOException {
        Target t = targets.get(name);
        if (t == null) targets.put(name, t = new Target(Journals.open(dir, name)));
        return t;
    }

    public void append(String topic, int sequence, String event) throws IOException {
        target(topic + ".log").line(event);
        if (sequence % 100 != 0) return;
        target(topic + ".idx").line(String.valueOf(sequence));
    }

    public void flush() throws IOException {
        for (Target t : targets.values()) t.out.flush();
    }
}

/** One index for all topics. */
class JournalBetter implements Journal {
    private final Path dir;
    private final Map<String, Writer> open = new HashMap<>();

    JournalBetter(Path dir) { this.dir = dir; }

    private Writer writer(String name) throws IOException {
        Writer w = open.get(name);
        if (w == null) open.put(name, w = Journals.open(dir, name));
        return w;
    }

    public void append(String topic, int sequence, String event) throws IOException {
        writer(topic + ".log").append(event).append('\n');
        if (sequence % 100 == 0) writer("all.idx").append(topic + " " + sequence + "\n");
    }

    public void flush() throws IOException {
        for (Writer w : open.values()) w.flush();
    }
}
