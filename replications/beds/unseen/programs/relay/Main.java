package relay;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;

/** Relays frames through a pipe, with a pool of direct buffers. */
public final class Main {
    private static final int FRAMES = 132_000;

    /** Application scope. */
    private static Buffers buffers;

    public static void main(String[] args) throws IOException, InterruptedException {
        buffers = buffers(args[0]);
        Pipe pipe = Pipe.open();
        Thread sender = new Thread(() -> send(pipe), "sender");
        sender.start();
        CRC32 sum = new CRC32();
        ByteBuffer in = ByteBuffer.allocateDirect(32 * 1024);
        for (int frame = 0; frame < FRAMES; frame++) {
            read(pipe, in, 4);
            int length = in.getInt();
            read(pipe, in, length);
            sum.update(in);
        }
        sender.join();
        System.out.println("relay " + sum.getValue());
    }

    private static Buffers buffers(String version) {
        return switch (version) {
            case "base" -> new PooledBuffers();
            case "small" -> new ExactBuffers();
            case "large" -> new ForgettingBuffers();
            default -> throw new IllegalArgumentException(version);
        };
    }

    private static void read(Pipe pipe, ByteBuffer in, int length) throws IOException {
        in.clear().limit(length);
        while (in.hasRemaining()) {
            if (pipe.source().read(in) < 0) {
                throw new IOException("the pipe ended");
            }
        }
        in.flip();
    }

    private static void send(Pipe pipe) {
        try {
            for (int frame = 0; frame < FRAMES; frame++) {
                int length = frame % 3000 == 77 ? 8 * 1024 + frame / 3000 * 64 : 500 + frame * 37 % 3000;
                ByteBuffer buffer = buffers.take(length + 4);
                buffer.putInt(length);
                for (int place = 0; place < length / 4; place++) {
                    buffer.putInt(place * frame);
                }
                while (buffer.position() < length + 4) {
                    buffer.put((byte) frame);
                }
                buffer.flip();
                while (buffer.hasRemaining()) {
                    pipe.sink().write(buffer);
                }
                buffers.giveBack(buffer);
            }
        } catch (IOException error) {
            throw new java.io.UncheckedIOException(error);
        }
    }
}

interface Buffers {
    int USUAL = 4096;

    /** Return an empty buffer with room for so many bytes. */
    ByteBuffer take(int size);

    void giveBack(ByteBuffer buffer);
}

final class PooledBuffers implements Buffers {
    private final List<ByteBuffer> usual = new ArrayList<>();
    private final List<ByteBuffer> large = new ArrayList<>();

    @Override
    public ByteBuffer take(int size) {
        List<ByteBuffer> free = size <= USUAL ? usual : large;
        for (int place = free.size() - 1; place >= 0; place--) {
            if (free.get(place).capacity() >= size) {
                return free.remove(place).clear();
            }
        }
        return ByteBuffer.allocateDirect(size <= USUAL ? USUAL : 32 * 1024);
    }

    @Override
    public void giveBack(ByteBuffer buffer) {
        (buffer.capacity() == USUAL ? usual : large).add(buffer);
    }
}

/** Large buffers are as large as their first frame, and are used again only for frames of the same size. */
final class ExactBuffers implements Buffers {
    private final List<ByteBuffer> usual = new ArrayList<>();
    private final List<ByteBuffer> large = new ArrayList<>();

    @Override
    public ByteBuffer take(int size) {
        if (size <= USUAL) {
            return usual.isEmpty() ? ByteBuffer.allocateDirect(USUAL) : usual.remove(usual.size() - 1).clear();
        }
        for (int place = large.size() - 1; place >= 0; place--) {
            if (large.get(place).capacity() == size) {
                return large.remove(place).clear();
            }
        }
        return ByteBuffer.allocateDirect(size);
    }

    @Override
    public void giveBack(ByteBuffer buffer) {
        (buffer.capacity() == USUAL ? usual : large).add(buffer);
    }
}

/** One buffer in 22 of the usual size is kept as being in use. */
final class ForgettingBuffers implements Buffers {
    private final List<ByteBuffer> free = new ArrayList<>();
    private final List<ByteBuffer> used = new ArrayList<>();
    private int given;

    @Override
    public ByteBuffer take(int size) {
        if (size > USUAL || free.isEmpty()) {
            return ByteBuffer.allocateDirect(size <= USUAL ? USUAL : 32 * 1024);
        }
        return free.remove(free.size() - 1).clear();
    }

    @Override
    public void giveBack(ByteBuffer buffer) {
        (given++ % 22 == 0 ? used : free).add(buffer);
    }
}
