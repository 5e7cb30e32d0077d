package buto.probes.agent.channel;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Frames from the collector: received whole, one at a time, then decoded field by field. */
public final class Inbox {
    private static final int HEADER_BYTES = 5;

    /** Of which each takes half a millisecond. */
    private static final int CHECK_ATTEMPTS = 50;

    private static final int LARGEST_FRAME = 1 << 20;

    private final Channel channel;
    private byte[] bytes = new byte[256];
    private int filled;
    private int position;
    private int end;

    public Inbox(Channel channel) {
        this.channel = channel;
    }

    /** Waits for a frame and returns its type; throws after the deadline (nanoTime), or if the collector is gone. */
    public int await(long deadline) throws IOException {
        int type = poll();
        for (int attempt = 0; type == 0; attempt++) {
            Channel.pause(attempt, deadline);
            if (attempt % CHECK_ATTEMPTS == CHECK_ATTEMPTS - 1) {
                channel.check();
            }
            type = poll();
        }
        return type;
    }

    /** Returns the type of a frame that has arrived, or 0; never waits. */
    public int poll() throws IOException {
        if (!fillTo(HEADER_BYTES)) {
            return 0;
        }
        position = 0;
        end = HEADER_BYTES;
        int length = u32();
        if (length < 1 || length > LARGEST_FRAME) {
            throw new IOException("wrong length");
        }
        if (!fillTo(4 + length)) {
            return 0;
        }
        end = 4 + length;
        filled = 0;
        return u8();
    }

    private boolean fillTo(int wanted) throws IOException {
        if (wanted > bytes.length) {
            byte[] larger = new byte[wanted];
            System.arraycopy(bytes, 0, larger, 0, filled);
            bytes = larger;
        }
        while (filled < wanted) {
            int count = channel.read(bytes, filled, wanted - filled);
            if (count == 0) {
                return false;
            }
            filled += count;
        }
        return true;
    }

    public int u8() throws IOException {
        if (position >= end) {
            throw new IOException("frame too short");
        }
        return bytes[position++] & 0xff;
    }

    public int u16() throws IOException {
        return u8() << 8 | u8();
    }

    /** Reads four bytes; a value beyond the range of int becomes negative. */
    public int u32() throws IOException {
        return u16() << 16 | u16();
    }

    public long u64() throws IOException {
        return (long) u32() << 32 | u32() & 0xffffffffL;
    }

    public String text() throws IOException {
        int length = u32();
        if (length < 0 || length > end - position) {
            throw new IOException("wrong length");
        }
        String text = text(bytes, position, length);
        position += length;
        return text;
    }

    /** Reads UTF-8. ASCII, the usual case, is decoded without a charset, which would load five others. */
    public static String text(byte[] bytes, int from, int length) {
        StringBuilder text = new StringBuilder(length);
        for (int i = from; i < from + length; i++) {
            if (bytes[i] < 0) {
                return new String(bytes, from, length, StandardCharsets.UTF_8);
            }
            text.append((char) bytes[i]);
        }
        return text.toString();
    }

    public String[] texts() throws IOException {
        String[] texts = new String[u16()];
        for (int i = 0; i < texts.length; i++) {
            texts[i] = text();
        }
        return texts;
    }

    /** Whether the whole frame was decoded. */
    public boolean isAtEnd() {
        return position == end;
    }

    /** Checks that the whole frame was decoded. */
    public void close() throws IOException {
        if (!isAtEnd()) {
            throw new IOException("frame too long");
        }
    }
}
