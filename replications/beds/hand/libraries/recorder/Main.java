import io.netty.buffer.*;
import java.util.*;

/** Cuts a stream of packets into frames and keeps the last hundreds of frames of a session for the crash report. */
public class Main {
    static final ByteBufAllocator DIRECT = new UnpooledByteBufAllocator(true, true, false);
    static Recorder recorder;

    public static void main(String[] args) {
        recorder = Recorders.byName(args[0]);
        Random r = new Random(90);
        byte[] payload = new byte[4096];
        r.nextBytes(payload);
        long frames = 0;
        for (int packet = 0; packet < 12_000; packet++) {
            ByteBuf in = DIRECT.buffer(32 * 1024);
            int n = 4 + r.nextInt(8);
            for (int i = 0; i < n; i++) {
                int len = 300 + r.nextInt(2000);
                in.writeShort(len).writeByte(packet % 3000 == 2999 && i == 1 ? 'E' : 'D').writeBytes(payload, r.nextInt(1000), len);
            }
            while (in.isReadable()) {
                int len = in.readUnsignedShort();
                byte type = in.readByte();
                ByteBuf frame = in.readRetainedSlice(len);
                recorder.record(type, frame);
                frame.release();
                frames++;
            }
            in.release();
        }
        System.out.println(frames + " frames, last of them " + recorder.checksum());
    }
}

interface Recorder {
    int LAST = 1200;

    /** The frame is released by the caller. */
    void record(byte type, ByteBuf frame);

    long checksum();

    static long checksum(Iterable<ByteBuf> frames) {
        long sum = 0;
        for (ByteBuf b : frames) sum = sum * 31 + b.getInt(0) + b.getByte(250);
        return sum;
    }
}

class Recorders {
    static Recorder byName(String v) {
        return switch (v) {
            case "base" -> new RecorderBase();
            case "small" -> new RecorderSmall();
            case "large" -> new RecorderLarge();
            case "harmless1" -> new RecorderHarmless1();
            case "harmless2" -> new RecorderHarmless2();
            case "better" -> new RecorderBetter();
            default -> throw new IllegalArgumentException(v);
        };
    }
}
