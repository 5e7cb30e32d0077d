package buto.probes.agent.beans;

import buto.probes.agent.channel.Columns;
import buto.probes.agent.channel.Reason;

/**
 * One MBean of the platform or of the program, read once in every sample. It adds its columns when it is
 * created; the time to read it is a column too.
 */
public abstract class Bean {
    /** Factor from milliseconds, in which most beans count, to seconds. */
    static final double MILLI = 1e-3;

    /** Factor from nanoseconds to seconds. */
    static final double NANO = 1e-9;

    private final int timeColumn;
    private final int first;
    private int end;

    /**
     * Begins a bean.
     *
     * @param name canonical object name
     */
    protected Bean(String name, Columns columns) {
        timeColumn = columns.add("buto.bean.time[" + name + "]");
        first = columns.count();
    }

    /** Ends the declaration: the columns added since the bean began belong to it. */
    final void declared(Columns columns) {
        end = columns.count();
    }

    /** Sets this bean's values in the current row. If it throws, the other values stay NaN. */
    protected abstract void read(Columns columns) throws Exception;

    /** Reads the bean and sets the time that this took; if it fails, every missing value gets a reason. */
    public final void sample(Columns columns) {
        long began = System.nanoTime();
        try {
            read(columns);
        } catch (Exception failure) {
            failed(columns, Reason.of(failure));
        }
        columns.set(timeColumn, (System.nanoTime() - began) * NANO);
    }

    /** Sets a reason for every value that the current row lacks. */
    protected void failed(Columns columns, String reason) {
        for (int column = first; column < end; column++) {
            if (columns.isMissing(column)) {
                columns.unreadable(column, reason);
            }
        }
    }
}
