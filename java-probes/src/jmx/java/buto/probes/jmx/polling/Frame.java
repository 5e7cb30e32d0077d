package buto.probes.jmx.polling;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** One frame in the format of the agent's channel, so that one decoder serves both collectors. */
final class Frame {
    static final int COLUMNS = 2;
    static final int METADATA = 3;
    static final int SAMPLES = 4;
    static final int NOTIFICATIONS = 5;
    static final int REASONS = 6;
    static final int DROPPED = 8;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
    private final DataOutputStream out = new DataOutputStream(bytes);

    Frame(int type) {
        u32(0).u8(type);
    }

    Frame u8(int value) {
        return write(() -> out.writeByte(value));
    }

    Frame u32(int value) {
        return write(() -> out.writeInt(value));
    }

    Frame i64(long value) {
        return write(() -> out.writeLong(value));
    }

    Frame f64(double value) {
        return write(() -> out.writeDouble(value));
    }

    /** A text; null becomes the empty one. */
    Frame text(String value) {
        byte[] encoded = (value == null ? "" : value).getBytes(StandardCharsets.UTF_8);
        return u32(encoded.length).write(() -> out.write(encoded));
    }

    byte[] bytes() {
        byte[] frame = bytes.toByteArray();
        ByteBuffer.wrap(frame).putInt(frame.length - 4);
        return frame;
    }

    private interface Writing {
        void run() throws IOException;
    }

    private Frame write(Writing writing) {
        try {
            writing.run();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return this;
    }
}
