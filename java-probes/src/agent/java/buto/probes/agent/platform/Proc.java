package buto.probes.agent.platform;

import java.io.IOException;
import java.io.RandomAccessFile;

/**
 * What Linux reports about this process. The JDK reads the processor time from the same file with the same
 * resolution, but first looks for its container, which loads a hundred classes.
 */
public final class Proc {
    private static final long NANOS_IN_TICK = 10000000L;
    private static final int FIELDS_TO_USER_TIME = 12;

    /** A number of at most seven digits and a name of at most 15 bytes, which may have parentheses in it. */
    private static final int LAST_OF_NAME = 26;

    private final RandomAccessFile stat;
    private final byte[] bytes = new byte[160];

    private Proc(RandomAccessFile stat) {
        this.stat = stat;
    }

    /** Returns null if there is no such file. */
    public static Proc open() {
        try {
            return new Proc(new RandomAccessFile("/proc/self/stat", "r"));
        } catch (IOException otherSystem) {
            return null;
        }
    }

    public long processId() throws IOException {
        return number(0, read());
    }

    /** Processor time in user and kernel mode, nanoseconds. */
    public long cpuNanos() throws IOException {
        int length = read();
        int at = LAST_OF_NAME;
        while (bytes[--at] != ')') {}
        for (int field = 0; field < FIELDS_TO_USER_TIME; at++) {
            field += bytes[at] == ' ' ? 1 : 0;
        }
        long user = number(at, length);
        while (bytes[at++] != ' ') {}
        return (user + number(at, length)) * NANOS_IN_TICK;
    }

    private int read() throws IOException {
        stat.seek(0);
        return stat.read(bytes);
    }

    private long number(int from, int length) {
        long number = 0;
        for (int at = from; at < length && bytes[at] != ' '; at++) {
            number = 10 * number + bytes[at] - '0';
        }
        return number;
    }

    /** The load average of the last minute as Linux writes it; null if it does not. */
    static String loadAverage() {
        try {
            RandomAccessFile file = new RandomAccessFile("/proc/loadavg", "r");
            try {
                String line = file.readLine();
                return line.substring(0, line.indexOf(' '));
            } finally {
                file.close();
            }
        } catch (IOException otherSystem) {
            return null;
        }
    }

    public void close() {
        try {
            stat.close();
        } catch (IOException closedAllTheSame) {
            // Nothing is lost by that.
        }
    }
}
