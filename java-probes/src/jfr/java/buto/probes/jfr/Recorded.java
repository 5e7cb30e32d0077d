package buto.probes.jfr;

import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedObject;
import jdk.jfr.consumer.RecordedThread;

/** What one recording has: folded stacks of each kind, a histogram of classes, totals, and facts of the JVM. */
final class Recorded {
    private static final double OLDER_SAMPLE_S = 0.002;
    private static final Set<String> PLACES = Set.of("java.class.path", "jdk.module.path");
    private static final int REFERENCE_BYTES = 4;
    private static final Map<String, Integer> WIDTHS = Map.of(
            "boolean[]", 1, "byte[]", 1, "char[]", 2, "short[]", 2, "int[]", 4, "float[]", 4, "long[]", 8, "double[]", 8);
    private static final long NO_THREAD = -1;
    private static final String DIRECT = "java.nio.DirectByteBuffer";

    private final Map<String, Consumer<RecordedEvent>> readers = new HashMap<>();
    private final double betweenSamples;
    private final Frames frames;
    private final Folded folded = new Folded();
    private final Map<String, String> facts = new TreeMap<>();
    private final Map<String, Double> totals = new TreeMap<>();
    /** By class, instances and bytes that the last counting collection found. */
    private final Map<String, long[]> histogram = new TreeMap<>();
    private final Map<Long, RecordedEvent> starts = new HashMap<>();
    private final Map<Long, Instant> ends = new HashMap<>();
    private final Map<Long, Malloc> mallocs = new HashMap<>();
    private final StringBuilder ticks = new StringBuilder();
    private final Surviving surviving = new Surviving();
    private final AllocationSamples samples;
    private final OpenFiles files = new OpenFiles();
    /** Counts only without samples by processor time, which newer JVMs take. */
    private final Folded olderSamples = new Folded();
    private Instant first = Instant.MAX;
    private Instant last = Instant.MIN;
    private boolean hasTracedBuffers;
    private boolean hasTimeSamples;
    private long countedBy = -1;
    private long events;

    private static final class Malloc {
        final Folded.Key key;
        final double size;

        Malloc(Folded.Key key, double size) {
            this.key = key;
            this.size = size;
        }
    }

    /**
     * @param hasNoLoaders whether only names can tell the user's code from the JDK's
     * @param betweenSamples bytes between two samples of kept objects: the size of a thread's buffer, which buto sets
     */
    Recorded(boolean hasNoLoaders, double betweenSamples) {
        this.betweenSamples = betweenSamples;
        samples = new AllocationSamples(betweenSamples);
        frames = new Frames(hasNoLoaders);
        readers.put("jdk.ObjectAllocationSample", this::allocatedInHeap);
        readers.put("jdk.ThreadAllocationStatistics", event ->
                samples.allocatedBefore(event.getValue("thread"), event.getStartTime(), event.getLong("allocated")));
        readers.put("jdk.OldObjectSample", this::kept);
        readers.put("jdk.ExecutionSample", this::seenRunning);
        readers.put("jdk.CPUTimeSample", this::sampled);
        readers.put("jdk.CPUTimeSamplesLost", event -> count("cpu.lost", event.getLong("lostSamples")));
        readers.put("jdk.ThreadStart", this::started);
        readers.put("jdk.ThreadEnd", this::ended);
        readers.put("jdk.ClassDefine", this::defined);
        readers.put("jdk.ClassUnload", event -> surviving.unloaded(event.getClass("unloadedClass")));
        readers.put("jdk.MethodTrace", this::traced);
        readers.put("jdk.JavaExceptionThrow", event -> fold("exceptions", event, 1, type(event, "thrownClass")));
        readers.put("jdk.JavaErrorThrow", event -> fold("exceptions", event, 1, type(event, "thrownClass")));
        readers.put("jdk.JavaMonitorEnter",
                event -> fold("locks", event, seconds(event.getDuration()), type(event, "monitorClass")));
        readers.put("jdk.FileRead", event -> fold("io", event, event.getLong("bytesRead"), ""));
        readers.put("jdk.FileWrite", event -> fold("io", event, event.getLong("bytesWritten"), ""));
        readers.put("jdk.SocketRead", event -> fold("io", event, event.getLong("bytesRead"), ""));
        readers.put("jdk.SocketWrite", event -> fold("io", event, event.getLong("bytesWritten"), ""));
        readers.put("jdk.ObjectCount", this::counted);
        readers.put("jdk.JavaThreadStatistics", this::ticked);
        readers.put("jdk.DirectBufferStatistics", event -> most("buffers.memory", event.getLong("memoryUsed")));
        readers.put("jdk.GCHeapSummary", this::heap);
        readers.put("jdk.JVMInformation", this::jvm);
        readers.put("jdk.InitialSystemProperty", this::property);
        readers.put("jdk.GCConfiguration", event -> facts.put("collector", event.getString("oldCollector")));
        readers.put("profiler.Malloc", this::allocated);
        readers.put("profiler.Free", event -> mallocs.remove(event.getLong("address")));
    }

    void add(RecordedEvent event) {
        events++;
        Consumer<RecordedEvent> reader = readers.get(event.getEventType().getName());
        if (reader == null) {
            return;
        }
        Instant time = event.getEndTime();
        if (time.isAfter(last)) {
            last = time;
        }
        if (time.isBefore(first)) {
            first = time;
        }
        reader.accept(event);
    }

    void print(String file, String failure, PrintWriter out) {
        threads();
        samples.finish();
        samples.addTo(folded);
        surviving.addTo(folded, hasTracedBuffers, samples);
        files.addTo(folded, first, last);
        for (Malloc one : mallocs.values()) {
            folded.add(one.key, one.size);
        }
        double length = last.isBefore(first) ? 0 : seconds(Duration.between(first, last));
        out.print("recording\t" + Names.plain(file) + "\t" + events + "\t" + length + "\t" + Names.plain(failure) + "\n");
        count("stacks.cut", folded.cut + surviving.cut);
        count("classes.cut", surviving.cutClasses);
        count("files.cut", files.cut);
        facts.forEach((key, value) -> out.print("fact\t" + key + "\t" + Names.plain(value == null ? "" : value) + "\n"));
        totals.forEach((key, value) -> out.print("total\t" + key + "\t" + value + "\n"));
        out.print("ticks\t" + ticks + "\n");
        frames.print(out);
        folded.print(out);
        if (!hasTimeSamples) {
            olderSamples.print(out);
        }
        histogram.forEach(
                (type, sums) -> out.print("class\t" + Names.plain(type) + "\t" + sums[0] + "\t" + sums[1] + "\n"));
    }

    private void fold(String kind, RecordedEvent event, double weight, String type) {
        Folded.Key key = key(kind, event, type, "", "");
        if (key != null) {
            folded.add(key, weight);
        }
    }

    private Folded.Key key(String kind, RecordedEvent event, String type, String holder, String path) {
        Frames.Stack stack = frames.of(event.getStackTrace());
        return stack == null ? null : new Folded.Key(kind, stack, type, holder, path);
    }

    private void allocatedInHeap(RecordedEvent event) {
        Folded.Key key = key("allocation", event, type(event, "objectClass"), "", "");
        if (key != null) {
            samples.add(event.getThread(), event.getStartTime(), key, event.getLong("weight"), folded);
        }
    }

    private void kept(RecordedEvent event) {
        RecordedObject object = event.getValue("object");
        RecordedClass type = object == null ? null : object.getValue("type");
        String name = type == null ? "" : Names.ofType(type.getName());
        Roots roots = object == null ? Roots.of(null, null) : Roots.of(object, event.getValue("root"));
        Folded.Key key = key("retention", event, name, roots.holder, roots.path);
        if (key == null) {
            return;
        }
        double size = event.hasField("objectSize") ? event.getLong("objectSize") : sizeOfArray(event, name);
        Instant allocated = event.getInstant("allocationTime");
        RecordedThread thread = event.getThread();
        surviving.allocated(key, thread == null ? NO_THREAD : thread.getId(), Math.max(size, betweenSamples), allocated);
        if (DIRECT.equals(name)) {
            surviving.allocatedBuffer(key("buffers", event, "", roots.holder, roots.path), allocated);
        }
    }

    /** Returns the bytes of an array's elements, which older JVMs only count; 0 for another object. */
    private static double sizeOfArray(RecordedEvent event, String type) {
        if (!type.endsWith("[]") || !event.hasField("arrayElements")) {
            return 0;
        }
        int width = WIDTHS.getOrDefault(type, REFERENCE_BYTES);
        return (double) Math.max(0, event.getInt("arrayElements")) * width;
    }

    private void defined(RecordedEvent event) {
        Folded.Key key = key("classes", event, "", "", "");
        if (key != null) {
            folded.add(key, 1);
            surviving.defined(key("classes.loaded", event, "", "", ""), event.getClass("definedClass"), event.getEndTime());
        }
    }

    private void seenRunning(RecordedEvent event) {
        Folded.Key key = key("cpu", event, "", "", "");
        if (key != null) {
            olderSamples.add(key, OLDER_SAMPLE_S);
        }
    }

    private void sampled(RecordedEvent event) {
        hasTimeSamples = true;
        if (event.getBoolean("failed")) {
            count("cpu.failed", 1);
        } else {
            fold("cpu", event, seconds(event.getDuration("samplingPeriod")), "");
        }
    }

    private void started(RecordedEvent event) {
        RecordedThread thread = event.getValue("thread");
        fold("threads.started", event, 1, "");
        if (thread != null && frames.of(event.getStackTrace()) != null) {
            starts.put(thread.getJavaThreadId(), event);
        }
    }

    private void ended(RecordedEvent event) {
        RecordedThread thread = event.getValue("thread");
        if (thread != null) {
            ends.put(thread.getJavaThreadId(), event.getStartTime());
        }
    }

    /** Adds what each thread was alive of the whole time, so that the sum is the mean number of threads. */
    private void threads() {
        double whole = last.isAfter(first) ? seconds(Duration.between(first, last)) : 1;
        starts.forEach((id, event) -> {
            Instant end = ends.getOrDefault(id, last);
            double alive = seconds(Duration.between(event.getStartTime(), end)) / whole;
            folded.add(key("threads.alive", event, "", "", ""), Math.max(alive, 0));
        });
    }

    private void traced(RecordedEvent event) {
        RecordedMethod method = event.getValue("method");
        String type = method == null || method.getType() == null ? "" : method.getType().getName();
        if (OpenFiles.CLASSES.contains(type)) {
            files.add(key("files", event, "", "", ""), type, event);
        } else {
            hasTracedBuffers = true;
            fold("buffers", event, 1, "");
        }
    }

    private void allocated(RecordedEvent event) {
        Folded.Key key = key("native", event, "", "", "");
        if (key != null) {
            mallocs.put(event.getLong("address"), new Malloc(key, event.getLong("size")));
        }
    }

    private void counted(RecordedEvent event) {
        surviving.countedAt(event.getEndTime());
        long collection = event.getLong("gcId");
        if (collection < countedBy) {
            return;
        }
        if (collection > countedBy) {
            histogram.clear();
            countedBy = collection;
        }
        long[] sums = histogram.computeIfAbsent(type(event, "objectClass"), any -> new long[2]);
        sums[0] += event.getLong("count");
        sums[1] += event.getLong("totalSize");
    }

    private void ticked(RecordedEvent event) {
        ticks.append(ticks.length() == 0 ? "" : " ").append(event.getStartTime().toEpochMilli());
        most("threads.active", event.getLong("activeCount"));
    }

    private void heap(RecordedEvent event) {
        if ("After GC".equals(event.getString("when"))) {
            surviving.collectedAt(event.getEndTime());
            most("heap.after_collection", event.getLong("heapUsed"));
        }
    }

    /** Comes with each part of the recording: stacks of the parts before are not needed any more. */
    private void jvm(RecordedEvent event) {
        frames.forget();
        facts.put("version", event.getString("jvmVersion"));
        facts.put("program", event.getString("javaArguments"));
        facts.put("pid", String.valueOf(event.getLong("pid")));
    }

    /** Notes where classes come from. All other properties may be secret. */
    private void property(RecordedEvent event) {
        String key = event.getString("key");
        if (PLACES.contains(key)) {
            facts.put(key, event.getString("value"));
        }
    }

    private void count(String total, double more) {
        totals.merge(total, more, Double::sum);
    }

    private void most(String total, double value) {
        totals.merge(total, value, Math::max);
    }

    private static String type(RecordedEvent event, String field) {
        RecordedClass type = event.getClass(field);
        return type == null ? "" : Names.ofType(type.getName());
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() * 1e-9;
    }
}
