package buto.probes.agent.channel;

import java.util.Arrays;
import java.util.HashMap;

/**
 * The columns in the order of their numbers, the values of the current row, and the reasons why values could not
 * be read. Columns are only added, up to a bound.
 */
public final class Columns {
    /** The kind of a custom MBean's value. */
    private static final int GAUGE = 0;

    /** The kind of a default property: the collector knows its unit and kind from its name. */
    private static final int LISTED = 3;

    /** Maximum number of columns; further ones are refused. */
    public static final int MOST = 16384;

    /** The number of a column that was refused. */
    public static final int NONE = -1;

    private static final int MOST_REASON_CHARS = 500;

    private final HashMap<String, Integer> numbers = new HashMap<String, Integer>();
    private String[] names = new String[128];
    private byte[] kinds = new byte[128];
    private double[] row = new double[128];
    private boolean[] explained = new boolean[128];
    private String[] reasons = new String[128];
    private int count;
    private int announced;
    private int unsentReasons;
    private boolean refused;

    public int count() {
        return count;
    }

    /** Whether a further column would be taken; if not, it counts as refused. */
    public boolean hasRoom() {
        refused |= count == MOST;
        return count < MOST;
    }

    /** Whether a column was refused because there was no room. */
    public boolean hasRefused() {
        return refused;
    }

    /** Adds a default property, as buto's table lists it; see {@link #addCustom} for the result. */
    public int add(String name) {
        return add(name, LISTED);
    }

    /** Adds a custom MBean's value. Returns the number of its column, or NONE if there was no room. */
    public int addCustom(String name) {
        return add(name, GAUGE);
    }

    /** Adds a column unless there is one of that name. */
    private int add(String name, int kind) {
        Integer known = numbers.get(name);
        if (known != null) {
            return known.intValue();
        }
        if (!hasRoom()) {
            return NONE;
        }
        if (count == names.length) {
            grow(2 * count);
        }
        numbers.put(name, Integer.valueOf(count));
        names[count] = name;
        kinds[count] = (byte) kind;
        row[count] = Double.NaN;
        return count++;
    }

    /** Makes room. The names come last: their length counts if memory runs out half way. */
    private void grow(int size) {
        kinds = Arrays.copyOf(kinds, size);
        row = Arrays.copyOf(row, size);
        explained = Arrays.copyOf(explained, size);
        reasons = Arrays.copyOf(reasons, size);
        names = Arrays.copyOf(names, size);
    }

    /** Begins a new row: every value is NaN until set. */
    public void clear() {
        Arrays.fill(row, 0, count, Double.NaN);
    }

    public void set(int column, double value) {
        if (column != NONE) {
            row[column] = value;
        }
    }

    /** Sets a count or a time, for which the JVM gives -1 if it does not know it. */
    public void setIfDefined(int column, long value, double scale) {
        if (value < 0) {
            unreadable(column, "the JVM gives -1: undefined");
        } else {
            set(column, value * scale);
        }
    }

    /** Leaves the value NaN; the first reason of a column is kept. */
    public void unreadable(int column, String reason) {
        if (column == NONE) {
            return;
        }
        row[column] = Double.NaN;
        if (!explained[column]) {
            explained[column] = true;
            reasons[column] = reason.length() > MOST_REASON_CHARS ? reason.substring(0, MOST_REASON_CHARS) : reason;
            unsentReasons++;
        }
    }

    /** Whether the column already has a reason. */
    public boolean isExplained(int column) {
        return column == NONE || explained[column];
    }

    /** Whether the current row has no value for the column. */
    public boolean isMissing(int column) {
        return column != NONE && row[column] != row[column];
    }

    /** Announces new columns; returns false if there was no room, then no row may be written. */
    public boolean announce(Outbox out) {
        if (announced == count) {
            return true;
        }
        out.begin(Frame.COLUMNS);
        out.u32(announced);
        out.u32(count - announced);
        for (int i = announced; i < count; i++) {
            out.text(names[i]);
            out.text(kinds[i] == GAUGE ? "1" : "");
            out.u8(kinds[i]);
        }
        boolean kept = out.end();
        if (kept) {
            announced = count;
        }
        return kept;
    }

    /** Writes the current row; returns false if there was no room. */
    public boolean write(Outbox out, long time) {
        out.begin(Frame.SAMPLES);
        out.u32(1);
        out.u32(count);
        out.i64(time);
        out.f64(row, count);
        return out.end();
    }

    /** Sends new reasons; without room they wait for the next time. */
    public void explain(Outbox out) {
        if (unsentReasons == 0) {
            return;
        }
        out.begin(Frame.REASONS);
        out.u32(unsentReasons);
        for (int i = 0; i < announced; i++) {
            if (reasons[i] != null) {
                out.u32(i);
                out.text(reasons[i]);
            }
        }
        if (out.end()) {
            Arrays.fill(reasons, 0, announced, null);
            unsentReasons = 0;
        }
    }
}
