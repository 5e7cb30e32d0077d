package buto.probes.jmx.polling;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The columns of a recording, the row of the current snapshot, and reasons for NaN. Columns are only added. */
final class Columns {
    /** The kind of a custom MBean's value. */
    private static final int GAUGE = 0;

    /** The kind of a default property: the collector knows its unit and kind from its name. */
    private static final int LISTED = 3;

    /** Maximum number of columns, as in the agent; a table that keeps growing must not end the recording. */
    private static final int MOST = 16384;

    /** The number of a column that was refused. */
    private static final int NONE = -1;

    private static final class Column {
        final String name;
        final int kind;

        Column(String name, int kind) {
            this.name = name;
            this.kind = kind;
        }
    }

    private final Map<String, Integer> indexOf = new HashMap<>();
    private final List<Column> columns = new ArrayList<>();
    private final Set<Integer> explained = new HashSet<>();
    private final Map<Integer, String> newReasons = new HashMap<>();
    private int sent;
    private boolean refused;
    private double[] row = new double[64];

    /** The column of a default property, as buto's table lists it; see {@link #ofCustom} for the result. */
    int of(String name) {
        return of(name, LISTED);
    }

    /** The number of the column of a custom MBean's value, added if it is new; NONE if there was no room. */
    int ofCustom(String name) {
        return of(name, GAUGE);
    }

    private int of(String name, int kind) {
        Integer known = indexOf.get(name);
        if (known != null) {
            return known;
        }
        int index = columns.size();
        if (index == MOST) {
            refused = true;
            return NONE;
        }
        columns.add(new Column(name, kind));
        indexOf.put(name, index);
        if (index >= row.length) {
            row = Arrays.copyOf(row, 2 * row.length);
        }
        row[index] = Double.NaN;
        return index;
    }

    void clearRow() {
        Arrays.fill(row, Double.NaN);
    }

    void set(int column, double value) {
        if (column != NONE) {
            row[column] = value;
        }
    }

    /** Set the reason why a column has NaN; only the first reason counts. */
    void explain(int column, String reason) {
        if (column != NONE && explained.add(column)) {
            newReasons.put(column, reason);
        }
    }

    /** Send new columns and reasons, then the row. */
    void send(long nanoTime, Outbox outbox) {
        if (sent < columns.size()) {
            Frame frame = new Frame(Frame.COLUMNS).u32(sent).u32(columns.size() - sent);
            for (Column column : columns.subList(sent, columns.size())) {
                frame.text(column.name).text(column.kind == GAUGE ? "1" : "").u8(column.kind);
            }
            outbox.put(frame);
            sent = columns.size();
        }
        if (refused) {
            outbox.put(new Frame(Frame.METADATA).u32(1).text("buto.columns.refused")
                    .text("there are " + MOST + " columns, and no more are taken"));
            refused = false;
        }
        if (!newReasons.isEmpty()) {
            Frame frame = new Frame(Frame.REASONS).u32(newReasons.size());
            newReasons.forEach((column, reason) -> frame.u32(column).text(reason));
            outbox.put(frame);
            newReasons.clear();
        }
        Frame frame = new Frame(Frame.SAMPLES).u32(1).u32(columns.size()).i64(nanoTime);
        for (int column = 0; column < columns.size(); column++) {
            frame.f64(row[column]);
        }
        outbox.putSample(frame);
    }
}
