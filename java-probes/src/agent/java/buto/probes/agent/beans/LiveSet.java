package buto.probes.agent.beans;

import buto.probes.agent.channel.Columns;
import buto.probes.agent.channel.Frame;
import buto.probes.agent.channel.Outbox;
import buto.probes.agent.channel.Reason;
import buto.probes.agent.platform.Diagnostics;
import java.lang.instrument.Instrumentation;
import java.lang.management.GarbageCollectorMXBean;
import java.util.List;

/**
 * Measures the live objects on purpose: forces a collection and counts the objects of each class. The columns keep
 * the last values.
 */
public final class LiveSet {
    private static final String COMMAND = "GC.class_histogram";
    private static final String OPERATION = "gcClassHistogram";
    private static final int MOST_CLASSES = 500;
    private static final int MOST_CHARS = 1 << 18;

    private final boolean isWanted;
    private final Instrumentation instrumentation;
    private final GarbageCollectorMXBean[] collectors;
    private final int bytesColumn;
    private final int objectsColumn;
    private final int timeColumn;
    private Diagnostics diagnostics;
    private double bytes = Double.NaN;
    private double objects = Double.NaN;
    private double seconds = Double.NaN;
    private String reason;

    /** The largest classes, as the JVM prints them; null if there was no measurement. */
    private String classes;

    /**
     * Adds the columns if they are wanted. Without that the class is loaded all the same, so that a live set at the
     * end does not change the number of classes.
     */
    public LiveSet(
            boolean isWanted,
            Instrumentation instrumentation,
            List<GarbageCollectorMXBean> collectors,
            Columns columns) {
        this.isWanted = isWanted;
        this.instrumentation = instrumentation;
        this.collectors = collectors.toArray(new GarbageCollectorMXBean[0]);
        bytesColumn = isWanted ? columns.add("jvm.memory.heap.live") : Columns.NONE;
        objectsColumn = isWanted ? columns.add("jvm.object.live") : Columns.NONE;
        timeColumn = isWanted ? columns.add("buto.live_set.time") : Columns.NONE;
    }

    public boolean isWanted() {
        return isWanted;
    }

    /** Loads what a measurement needs. At the latest the first one does that, and adds classes to the program's. */
    public void prepare() {
        if (diagnostics == null) {
            diagnostics = Diagnostics.open(instrumentation);
        }
    }

    /** Measures now, which stops the program for as long as a full collection and a walk over its objects take. */
    public void measure() {
        long began = System.nanoTime();
        bytes = Double.NaN;
        objects = Double.NaN;
        classes = null;
        reason = null;
        try {
            String histogram = histogram();
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
    private String histogram() throws Exception {
        prepare();
        long before = collections();
        String histogram = diagnostics.run(COMMAND, OPERATION, "");
        if (collections() > before) {
            return histogram;
        }
        System.gc();
        return collections() > before ? diagnostics.run(COMMAND, OPERATION, "-all") : null;
    }

    private long collections() {
        long count = 0;
        for (GarbageCollectorMXBean collector : collectors) {
            count += Math.max(0, collector.getCollectionCount());
        }
        return count;
    }

    /** The classes are sorted by size; the last line has the word Total and both sums. */
    private void read(String histogram) {
        int last = histogram.lastIndexOf("\nTotal");
        if (last < 0) {
            reason = "the JVM printed a list of classes without a total";
            return;
        }
        String total = histogram.substring(last + 6).trim();
        int blank = total.indexOf(' ');
        objects = Long.parseLong(total.substring(0, blank));
        bytes = Long.parseLong(total.substring(blank).trim());
        int end = 0;
        // Two lines of the heading come first.
        for (int line = 0; line < MOST_CLASSES + 2 && end < last; line++) {
            int next = histogram.indexOf('\n', end + 1);
            if (next > MOST_CHARS) {
                break;
            }
            end = next;
        }
        classes = histogram.substring(0, end);
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
