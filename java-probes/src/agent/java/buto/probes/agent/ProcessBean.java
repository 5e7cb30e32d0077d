package buto.probes.agent;

import java.io.IOException;

/**
 * Processor time of the whole process. On Linux it comes from the system's own account, which is as
 * fine as the platform's bean (10 ms): making that bean costs some hundred classes.
 */
final class ProcessBean extends Bean {
    private static final double SECONDS_PER_TICK = 0.01;

    /** Words between the command's name and the user time in /proc/self/stat. */
    private static final int WORDS_BEFORE_TIMES = 11;

    private final ProcFile stat = ProcFile.open("/proc/self/stat");
    private final SunBeans sun;
    private final int time;

    /**
     * Begins the bean.
     *
     * @param sun what to ask where there is no /proc; null in a JVM without com.sun.management
     */
    ProcessBean(SunBeans sun, Columns columns) {
        super("java.lang:type=OperatingSystem", columns);
        this.sun = sun;
        time = columns.add("jvm.cpu.time", "s", Columns.COUNTER);
        declared(columns);
    }

    @Override
    void read(Columns columns) throws IOException {
        if (stat != null) {
            columns.set(time, ticks() * SECONDS_PER_TICK);
        } else if (sun != null) {
            columns.setIfDefined(time, sun.processCpuNanos(), NANO);
        } else {
            columns.unreadable(time, SunBeans.MISSING);
        }
    }

    /** User and system time together; the command's name before them may hold any character. */
    private long ticks() throws IOException {
        int length = stat.read();
        byte[] bytes = stat.bytes;
        int at = length - 1;
        while (at >= 0 && bytes[at] != ')') {
            at--;
        }
        for (int words = -1; words < WORDS_BEFORE_TIMES; words++) {
            do {
                at++;
            } while (at < length && bytes[at] != ' ');
        }
        long sum = 0;
        long number = 0;
        for (int numbers = 0; numbers < 2; ) {
            at++;
            if (at < length && bytes[at] >= '0' && bytes[at] <= '9') {
                number = 10 * number + bytes[at] - '0';
            } else {
                sum += number;
                number = 0;
                numbers++;
            }
        }
        return sum;
    }

    void close() {
        if (stat != null) {
            stat.close();
        }
    }
}
