package buto.probes.agent.channel;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Frames that wait to be sent, in one buffer that grows up to a bound. A frame that does not fit is dropped as a
 * whole: {@link #end} reports it, and nothing ever waits.
 */
public final class Outbox {
    private static final int FIRST_BYTES = 16384;
    private static final int MOST_BYTES = 4 << 20;
    private static final int CLOSING_BYTES = 1 << 20;

    /** Bytes that notifications must not use, so that a flood of them costs no sample. */
    private static final int KEPT_FREE_BYTES = 1 << 20;

    private byte[] bytes = new byte[FIRST_BYTES];
    private int most = MOST_BYTES;
    private int bound;
    private int sent;
    private int frame;
    private int end;
    private boolean overflowed;

    /** Begins a frame; every frame must be ended before the next. */
    public void begin(int type) {
        frame = end;
        overflowed = false;
        bound = type == Frame.NOTIFICATIONS ? most - KEPT_FREE_BYTES : most;
        u32(0);
        u8(type);
    }

    /** Ends the frame; returns false if it was dropped because there was no room. */
    public boolean end() {
        if (overflowed) {
            end = frame;
            return false;
        }
        int length = end - frame - 4;
        int last = end;
        end = frame;
        u32(length);
        end = last;
        frame = last;
        return true;
    }

    /** Drops a frame that was begun but could not be ended. */
    public void abandon() {
        end = frame;
    }

    /** Makes room for the last frames: they must arrive even if a slow collector left no room. */
    public void reserveForClosing() {
        most = MOST_BYTES + CLOSING_BYTES;
    }

    void u8(int value) {
        if (hasRoom(1)) {
            bytes[end++] = (byte) value;
        }
    }

    public void u16(int value) {
        if (hasRoom(2)) {
            bytes[end++] = (byte) (value >> 8);
            bytes[end++] = (byte) value;
        }
    }

    public void u32(int value) {
        u16(value >> 16);
        u16(value);
    }

    public void i64(long value) {
        u32((int) (value >> 32));
        u32((int) value);
    }

    /** Writes the first values of an array, each as f64. */
    void f64(double[] values, int count) {
        if (hasRoom(8 * count)) {
            for (int i = 0; i < count; i++) {
                put(end, Double.doubleToRawLongBits(values[i]));
                end += 8;
            }
        }
    }

    /** A separate method, which is called so often that the JVM compiles it after a few rows. */
    private void put(int at, long bits) {
        int high = (int) (bits >> 32);
        int low = (int) bits;
        bytes[at] = (byte) (high >> 24);
        bytes[at + 1] = (byte) (high >> 16);
        bytes[at + 2] = (byte) (high >> 8);
        bytes[at + 3] = (byte) high;
        bytes[at + 4] = (byte) (low >> 24);
        bytes[at + 5] = (byte) (low >> 16);
        bytes[at + 6] = (byte) (low >> 8);
        bytes[at + 7] = (byte) low;
    }

    /** Writes a text; null becomes the empty text. ASCII is written without allocation. */
    public void text(String value) {
        String text = value == null ? "" : value;
        if (!hasRoom(4 + text.length())) {
            return;
        }
        if (isAscii(text)) {
            u32(text.length());
            if (hasRoom(text.length())) {
                for (int i = 0; i < text.length(); i++) {
                    bytes[end++] = (byte) text.charAt(i);
                }
            }
        } else {
            byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
            u32(encoded.length);
            if (hasRoom(encoded.length)) {
                System.arraycopy(encoded, 0, bytes, end, encoded.length);
                end += encoded.length;
            }
        }
    }

    private static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 128) {
                return false;
            }
        }
        return true;
    }

    /** Sends as much as possible without waiting; returns true if nothing is left. */
    public boolean flush(Channel channel) throws IOException {
        if (sent < end) {
            sent += channel.write(bytes, sent, end - sent);
        }
        if (sent == end) {
            sent = 0;
            frame = 0;
            end = 0;
        }
        return end == 0;
    }

    /** Returns how many bytes wait. */
    public int size() {
        return end - sent;
    }

    private boolean hasRoom(int count) {
        if (overflowed) {
            return false;
        }
        if (end - sent + count > bound) {
            overflowed = true;
        } else if (count > bytes.length - end) {
            overflowed = !makeRoom(count);
        }
        return !overflowed;
    }

    private boolean makeRoom(int count) {
        byte[] target = bytes;
        int needed = end - sent + count;
        if (needed > bytes.length) {
            try {
                target = new byte[Math.min(most, Math.max(needed, 2 * bytes.length))];
            } catch (OutOfMemoryError noMemoryLeft) {
                return false;
            }
        }
        System.arraycopy(bytes, sent, target, 0, end - sent);
        bytes = target;
        frame -= sent;
        end -= sent;
        sent = 0;
        return true;
    }
}
