package buto.probes.agent.channel;

import java.io.Closeable;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.concurrent.locks.LockSupport;

/**
 * The two pipes to and from the collector, as plain files: a socket, or a file channel, would initialise the JDK's
 * classes of the network, which read properties that the program may set in {@code main}.
 *
 * <p>No call blocks in the operating system: waiting is polling with {@link #pause}. So no thread of the agent is in
 * native code when the JVM exits, for which HotSpot would wait 300 ms.
 */
public final class Channel {
    /** Lines that the collector keeps ready; a line is a directory with two pipes. */
    private static final int LINES = 4;

    /** An empty pipe takes as much at once, whatever its size. */
    private static final int PAGE_BYTES = 4096;

    private static final long SHORTEST_PAUSE = 20000L;
    private static final long LONGEST_PAUSE = 500000L;

    /** A collector that reads nothing for so long will not read any more. */
    private static final long LONGEST_STALL = 60000000000L;

    private static final byte[] ALIVE = {0, 0, 0, 1, Frame.ALIVE};

    private final RandomAccessFile down;

    /** Reads and counts what the collector has sent. */
    private final FileInputStream received;

    private final FileOutputStream up;

    /** Counts what the collector has not read yet. */
    private final FileInputStream unread;

    private int capacity = PAGE_BYTES;

    /** Since when (nanoTime) the pipe takes nothing; 0 if it does. */
    private long stalled;

    private Channel(File line) throws IOException {
        down = new RandomAccessFile(new File(line, "down"), "rw");
        received = new FileInputStream(down.getFD());
        // To open one end of a pipe waits for the other end; to open both does not.
        RandomAccessFile both = new RandomAccessFile(new File(line, "up"), "rw");
        try {
            up = new FileOutputStream(new File(line, "up"), true);
        } finally {
            both.close();
        }
        unread = new FileInputStream(up.getFD());
    }

    /** Takes a line that the collector keeps ready in a directory, before the deadline (nanoTime), or throws. */
    public static Channel open(String lines, long deadline) throws IOException {
        for (int attempt = 0; ; attempt++) {
            for (int i = 0; i < LINES; i++) {
                File free = new File(lines, "line-" + i);
                File taken = new File(lines, "taken-" + i + "-" + System.nanoTime());
                // Only one agent can rename it.
                if (free.renameTo(taken)) {
                    return new Channel(taken);
                }
            }
            if (!new File(lines).isDirectory()) {
                throw new IOException("no collector");
            }
            pause(attempt, deadline);
        }
    }

    /** Sleeps before the next attempt, each time longer; throws after the deadline. */
    public static void pause(int attempt, long deadline) throws IOException {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
            throw new IOException("too late");
        }
        long pause = attempt < 5 ? SHORTEST_PAUSE << attempt : LONGEST_PAUSE;
        LockSupport.parkNanos(Math.min(pause, left));
    }

    /** Uses a pipe of that many bytes. */
    public void setCapacity(int bytes) {
        capacity = Math.max(bytes, PAGE_BYTES);
    }

    /**
     * Writes as much as possible without waiting; returns the number of bytes. A pipe keeps pages of which each is at
     * least half full on average, so a write cannot block while all of them are less than half of its size.
     *
     * @throws IOException if the collector has closed the pipe, or has read nothing for long
     */
    int write(byte[] bytes, int offset, int length) throws IOException {
        int waiting = unread.available();
        int room = Math.max(capacity / 2 - 2 * PAGE_BYTES - waiting, waiting == 0 ? PAGE_BYTES : 0);
        int written = Math.min(length, room);
        if (written > 0) {
            // At once, so that the collector wakes up once.
            up.write(bytes, offset, written);
        }
        if (written > 0 || length == 0) {
            stalled = 0;
        } else if (stalled == 0) {
            stalled = System.nanoTime();
        } else if (System.nanoTime() - stalled > LONGEST_STALL) {
            throw new IOException("the collector stands still");
        }
        return written;
    }

    /** Throws IOException if the collector has closed the pipe, which only a write shows. */
    void check() throws IOException {
        if (unread.available() == 0) {
            up.write(ALIVE);
        }
    }

    /** Reads what has arrived, maybe nothing. */
    int read(byte[] bytes, int offset, int length) throws IOException {
        int count = Math.min(received.available(), length);
        return count <= 0 ? 0 : received.read(bytes, offset, count);
    }

    public void close() {
        close(up);
        close(received);
    }

    private static void close(Closeable end) {
        try {
            end.close();
        } catch (IOException alreadyBroken) {
            // It is closed anyway.
        }
    }
}
