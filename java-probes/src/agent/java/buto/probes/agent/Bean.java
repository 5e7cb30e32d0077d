package buto.probes.agent;

/**
 * Something that is read once in every sample: an MBean of the platform or of the program. It adds
 * its columns when it is made, and the time that reading it takes is a column too.
 */
abstract class Bean {
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
    Bean(String name, Columns columns) {
        timeColumn = columns.add("buto.bean.time[" + name + "]");
        first = columns.count();
    }

    /** Ends the declaration: the columns that were added since the bean began are its own. */
    final void declared(Columns columns) {
        end = columns.count();
    }

    /** Sets this bean's values in the current row. May throw: then the rest of them stays NaN. */
    abstract void read(Columns columns) throws Exception;

    /** Reads, with a reason for every value if that fails, and notes the time it took. */
    final void sample(Columns columns) {
        long began = System.nanoTime();
        try {
            read(columns);
        } catch (Exception failure) {
            failed(columns, Reason.of(failure));
        }
        columns.set(timeColumn, (System.nanoTime() - began) * NANO);
    }

    /** Gives a reason for every value that the current row lacks. */
    void failed(Columns columns, String reason) {
        for (int column = first; column < end; column++) {
            if (columns.isMissing(column)) {
                columns.unreadable(column, reason);
            }
        }
    }
}
