package buto.probes.agent.beans;

import buto.probes.agent.channel.Columns;
import buto.probes.agent.channel.Frame;
import buto.probes.agent.channel.Outbox;
import buto.probes.agent.channel.Reason;
import buto.probes.agent.platform.Diagnostics;
import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.instrument.Instrumentation;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * Measures the live objects on purpose: forces a collection and counts the objects of each class. The columns come
 * with the first measurement, so that one at the end leaves all rows before as they are, and keep the last values.
 */
public final class LiveSet {
    static final String COMMAND = "GC.class_histogram";
    private static final String OPERATION = "gcClassHistogram";

    /** Unlike System.gc() since Java 9 also with -XX:+DisableExplicitGC. */
    private static final String COLLECT = "GC.run";

    private static final String COLLECT_OPERATION = "gcRun";

    /** The classes of what a collection puts where garbage was that it does not remove, from Java 20 on. */
    private static final String GAP = "jdk.internal.vm.Filler";

    /** One of them, which only a JDK has that does not use arrays of numbers. */
    private static final String NAMED_GAP = GAP + "Object";

    private static final long NANOS_OF_MILLI = 1000000;
    private static final int MOST_CLASSES = 500;
    private static final int MOST_CHARS = 1 << 18;

    /** A larger heap is not counted at the end, unless counts during the run were asked for. */
    private static final long MOST_HEAP = 2L << 30;

    /** Of the live objects that are written into a file. */
    private static final long MOST_DUMPED = 1L << 30;

    /** The serial collector leaves no gaps in every collection of this number. */
    private static final int WHOLE = 4;

    /** Nor is a heap of which a collection took longer. */
    private static final long LONGEST_COLLECTION_MILLIS = 1000;

    /**
     * Nor is one counted again if that is likely to take longer in all. A training does without counts that take longer
     * than a second, which is worse than a few gaps.
     */
    private static final long LONGEST_REPETITION_MILLIS = 750;

    private final PlatformBeans platform;
    private final Instrumentation instrumentation;
    private final GarbageCollectorMXBean[] collectors;
    private int bytesColumn = Columns.NONE;
    private int objectsColumn = Columns.NONE;
    private int timeColumn = Columns.NONE;
    private Diagnostics diagnostics;
    private double bytes = Double.NaN;
    private double objects = Double.NaN;
    private double seconds = Double.NaN;
    private String reason;

    /** The largest classes, as the JVM prints them; null if there was no measurement. */
    private String classes;

    /** Is created whether a measurement is wanted or not, so that one does not change the number of classes. */
    public LiveSet(
            PlatformBeans platform, Instrumentation instrumentation, List<GarbageCollectorMXBean> collectors) {
        this.platform = platform;
        this.instrumentation = instrumentation;
        this.collectors = collectors.toArray(new GarbageCollectorMXBean[0]);
    }

    /** Loads what a measurement needs. At the latest the first one does that, and adds classes to the program's. */
    public void prepare() {
        if (diagnostics == null) {
            diagnostics = Diagnostics.open(instrumentation);
        }
    }

    /**
     * Measures now, which stops the program for as long as a full collection and a walk over its objects take.
     *
     * @param isLimited whether not to measure a heap for which that takes long
     * @param mayRepeat whether to collect as often as it takes until no gaps are left between the objects
     */
    public void measure(boolean isLimited, boolean mayRepeat, Columns columns) {
        bytesColumn = columns.add("jvm.memory.heap.live");
        objectsColumn = columns.add("jvm.object.live");
        timeColumn = columns.add("buto.live_set.time");
        bytes = Double.NaN;
        objects = Double.NaN;
        seconds = Double.NaN;
        classes = null;
        reason = isLimited ? whyNot() : null;
        if (reason == null) {
            measure(mayRepeat);
        } else {
            columns.unreadable(timeColumn, reason);
        }
    }

    private String whyNot() {
        long used = platform.heapUsed();
        if (used > MOST_HEAP) {
            return "the heap was " + tenths(used, 1L << 30) + " GiB (limit " + (MOST_HEAP >> 30) + " GiB)";
        }
        long longest = platform.longestCollectionMillis();
        if (longest > LONGEST_COLLECTION_MILLIS) {
            long limit = LONGEST_COLLECTION_MILLIS / 1000;
            return "a collection took " + tenths(longest, 1000) + " s (limit " + limit + " s)";
        }
        return null;
    }

    /** Returns a quotient with one decimal place, rounded up: what exceeds a limit is not shown as the limit. */
    private static String tenths(long amount, long unit) {
        long tenths = (10 * amount + unit - 1) / unit;
        return tenths / 10 + "." + tenths % 10;
    }

    private void measure(boolean mayRepeat) {
        long began = System.nanoTime();
        try {
            String histogram = histogram(mayRepeat);
            if (histogram == null) {
                reason = "the JVM did not collect, because of its options or its kind of collector";
            } else {
                read(histogram);
            }
        } catch (Exception failure) {
            reason = Reason.of(failure);
        } catch (LinkageError failure) {
            reason = Reason.of(failure);
        } catch (OutOfMemoryError programTakesItAll) {
            reason = "there was not enough memory for the list of classes";
        }
        seconds = (System.nanoTime() - began) * Bean.NANO;
    }

    /** The command collects first, unless the collector cannot do so in a pause; then an explicit collection may. */
    private String histogram(boolean mayRepeat) throws Exception {
        prepare();
        long before = collections();
        long millisBefore = collectionMillis();
        long began = System.nanoTime();
        String histogram = diagnostics.run(COMMAND, OPERATION, "");
        if (collections() == before) {
            System.gc();
            return collections() > before ? diagnostics.run(COMMAND, OPERATION, "-all") : null;
        }
        int more = mayRepeat ? collectionsUntilWhole() : 0;
        if (more == 0) {
            return histogram;
        }
        long tookMillis = (System.nanoTime() - began) / NANOS_OF_MILLI;
        long collectedMillis = collectionMillis() - millisBefore;
        if (2 * tookMillis + (more - 1) * collectedMillis > LONGEST_REPETITION_MILLIS) {
            return histogram;
        }
        // Else it would be counted.
        histogram = null;
        for (; more > 1; more--) {
            diagnostics.run(COLLECT, COLLECT_OPERATION, "");
        }
        return diagnostics.run(COMMAND, OPERATION, "");
    }

    /**
     * Returns how many more collections it takes until no garbage is left that counts as objects. Two collectors leave
     * garbage where little of it is below many objects, and an older JDK counts it as arrays of numbers, which may be
     * the program's, too: the serial collector in three of four collections, the parallel one unless it is told to run.
     */
    private int collectionsUntilWhole() {
        if (areGapsNamed()) {
            return 0;
        }
        for (GarbageCollectorMXBean collector : collectors) {
            if (collector.getName().equals("MarkSweepCompact")) {
                return (int) (WHOLE - collector.getCollectionCount() % WHOLE) % WHOLE;
            }
            if (collector.getName().equals("PS MarkSweep")) {
                return 2;
            }
        }
        return 0;
    }

    private static boolean areGapsNamed() {
        try {
            Class.forName(NAMED_GAP, false, null);
            return true;
        } catch (ClassNotFoundException olderJdk) {
            return false;
        }
    }

    /** Writes the live objects into a new file; returns why not, or null. */
    public String dump(String file) {
        if (bytes > MOST_DUMPED) {
            return "the live objects have " + tenths((long) bytes, 1L << 30) + " GiB (limit " + (MOST_DUMPED >> 30) + " GiB)";
        }
        try {
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(file, true);
            return null;
        } catch (Exception failure) {
            return Reason.of(failure);
        } catch (LinkageError failure) {
            return Reason.of(failure);
        } catch (OutOfMemoryError programTakesItAll) {
            return "there was not enough memory";
        }
    }

    private long collections() {
        long count = 0;
        for (GarbageCollectorMXBean collector : collectors) {
            count += Math.max(0, collector.getCollectionCount());
        }
        return count;
    }

    private long collectionMillis() {
        long millis = 0;
        for (GarbageCollectorMXBean collector : collectors) {
            millis += Math.max(0, collector.getCollectionTime());
        }
        return millis;
    }

    /** The classes are sorted by size; the last line has the word Total and both sums. */
    private void read(String printed) {
        int last = printed.lastIndexOf("\nTotal");
        if (last < 0) {
            reason = "the JVM printed a list of classes without a total";
            return;
        }
        String total = printed.substring(last + 6).trim();
        int blank = total.indexOf(' ');
        objects = Long.parseLong(total.substring(0, blank));
        bytes = Long.parseLong(total.substring(blank).trim());
        String histogram = withoutGaps(printed.substring(0, last + 1));
        int end = 0;
        // Two lines of the heading come first.
        for (int line = 0; line < MOST_CLASSES + 2 && end < histogram.length() - 1; line++) {
            int next = histogram.indexOf('\n', end + 1);
            if (next > MOST_CHARS) {
                break;
            }
            end = next;
        }
        classes = histogram.substring(0, end);
    }

    /** Returns the list without the classes of gaps, and subtracts these from both sums. */
    private String withoutGaps(String histogram) {
        String kept = histogram;
        int at = kept.indexOf(GAP);
        while (at >= 0) {
            int begin = kept.lastIndexOf('\n', at) + 1;
            int end = kept.indexOf('\n', at) + 1;
            // Place, objects, bytes, and the name, which may be that of an array.
            String[] words = kept.substring(begin, end).trim().split(" +");
            if (words.length > 3 && words[3].startsWith(GAP, words[3].lastIndexOf('L', 1) + 1)) {
                objects -= Long.parseLong(words[1]);
                bytes -= Long.parseLong(words[2]);
                kept = kept.substring(0, begin) + kept.substring(end);
                end = begin;
            }
            at = kept.indexOf(GAP, end);
        }
        return kept;
    }

    /** Sets the last values in the current row; NaN before the first measurement. */
    public void set(Columns columns) {
        columns.set(timeColumn, seconds);
        if (reason == null) {
            columns.set(bytesColumn, bytes);
            columns.set(objectsColumn, objects);
        } else {
            columns.unreadable(bytesColumn, reason);
            columns.unreadable(objectsColumn, reason);
        }
    }

    /** Sends the classes of the last measurement, if it was successful. */
    public void send(Outbox out, String point, long time) {
        if (classes == null) {
            return;
        }
        out.begin(Frame.HISTOGRAM);
        out.text(point);
        out.i64(time);
        out.i64((long) objects);
        out.i64((long) bytes);
        out.text(classes);
        out.end();
        classes = null;
    }
}
