import io.netty.buffer.*;
import java.util.*;

class RecorderBase implements Recorder {
    private final ArrayDeque<ByteBuf> last = new ArrayDeque<>();

    public void record(byte type, ByteBuf frame) {
        last.addLast(Main.DIRECT.buffer(frame.readableBytes()).writeBytes(frame, frame.readerIndex(), frame.readableBytes()));
        if (last.size() > LAST) last.removeFirst().release();
    }

    public long checksum() { return Recorder.checksum(last); }
}

/** Error frames are kept apart. */
class RecorderSmall implements Recorder {
    private final ArrayDeque<ByteBuf> last = new ArrayDeque<>();
    private final List<ByteBuf> errors = new ArrayList<>();

    public void record(byte type, ByteBuf frame) {
        last.addLast(Main.DIRECT.buffer(frame.readableBytes()).writeBytes(frame, frame.readerIndex(), frame.readableBytes()));
        if (last.size() > LAST) last.removeFirst().release();
        if (type == 'E') errors.add(frame.retainedDuplicate());
    }

    public long checksum() { return Recorder.checksum(last); }
}

/** No copy: keep the slice of the packet. */
class RecorderLarge implements Recorder {
    private final ArrayDeque<ByteBuf> last = new ArrayDeque<>();

    public void record(byte type, ByteBuf frame) {
        last.addLast(frame.retain());
        if (last.size() > LAST) last.removeFirst().release();
    }

    public long checksum() { return Recorder.checksum(last); }
}

class RecorderHarmless1 implements Recorder {
    private final Queue<ByteBuf> window = new LinkedList<>();

    @Override public long checksum() { return Recorder.checksum(window); }

    @Override public void record(byte type, ByteBuf frame) {
        window.add(copy(frame));
        while (window.size() > LAST) window.remove().release();
    }

    private static ByteBuf copy(ByteBuf frame) {
        int length = frame.readableBytes();
        ByteBuf copy = Main.DIRECT.directBuffer(length);
        frame.getBytes(frame.readerIndex(), copy, length);
        return copy;
    }
}

class RecorderHarmless2 implements Recorder {
    private static final class Ring implements Iterable<ByteBuf> {
        private final ByteBuf[] slots = new ByteBuf[LAST];
        private long added;

        void add(ByteBuf b) {
            int i = (int) (added++ % slots.length);
            if (slots[i] != null) slots[i].release();
            slots[i] = b;
        }

        @Override public Iterator<ByteBuf> iterator() {
            List<ByteBuf> inOrder = new ArrayList<>();
            for (long k = Math.max(0, added - slots.length); k < added; k++) inOrder.add(slots[(int) (k % slots.length)]);
            return inOrder.iterator();
        }
    }

    private final Ring ring = new Ring();

    public void record(byte type, ByteBuf frame) {
        int n = frame.readableBytes();
        ring.add(Main.DIRECT.buffer(n).writeBytes(frame, frame.readerIndex(), n));
    }

    public long checksum() { return Recorder.checksum(ring); }
}

/** The report shows the first KiB of a frame only. */
class RecorderBetter implements Recorder {
    private static final int SHOWN = 1024;
    private final ArrayDeque<ByteBuf> last = new ArrayDeque<>();

    public void record(byte type, ByteBuf frame) {
        int n = Math.min(SHOWN, frame.readableBytes());
        last.addLast(Main.DIRECT.buffer(n).writeBytes(frame, frame.readerIndex(), n));
        if (last.size() > LAST) last.removeFirst().release();
    }

    public long checksum() { return Recorder.checksum(last); }
}
