package buto.probes.agent.channel;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.locks.LockSupport;
import sun.nio.ch.EPollSelectorProvider;

/**
 * The socket to the collector on loopback. No call blocks in the operating system: waiting is polling with
 * {@link #pause}. So no thread of the agent is in native code when the JVM exits, for which HotSpot would wait
 * 300 ms.
 */
public final class Channel {
    private static final int CHUNK_BYTES = 16384;
    private static final long SHORTEST_PAUSE = 20000L;
    private static final long LONGEST_PAUSE = 500000L;
    private static final byte[] LOOPBACK = {127, 0, 0, 1};

    private final SocketChannel socket;

    /** One direct buffer for both directions; the content of a heap buffer would be copied into a new one. */
    private final ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);

    private Channel(SocketChannel socket) {
        this.socket = socket;
    }

    /** Connects before the deadline (nanoTime), or throws. */
    public static Channel connect(int port, long deadline) throws IOException {
        SocketChannel socket = open();
        boolean connected = false;
        try {
            socket.configureBlocking(false);
            socket.setOption(StandardSocketOptions.TCP_NODELAY, Boolean.TRUE);
            socket.connect(new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), port));
            for (int attempt = 0; !socket.finishConnect(); attempt++) {
                pause(attempt, deadline);
            }
            connected = true;
            return new Channel(socket);
        } finally {
            if (!connected) {
                socket.close();
            }
        }
    }

    /** The public method would first look for other providers, in every module and on the whole class path. */
    private static SocketChannel open() throws IOException {
        try {
            return ((SelectorProvider) (Object) new EPollSelectorProvider()).openSocketChannel();
        } catch (LinkageError otherSystem) {
            return SocketChannel.open();
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

    /** Writes as much as possible without waiting; returns the number of bytes. */
    int write(byte[] bytes, int offset, int length) throws IOException {
        int written = 0;
        while (written < length) {
            int part = Math.min(length - written, CHUNK_BYTES);
            chunk.clear();
            chunk.put(bytes, offset + written, part);
            chunk.flip();
            int taken = socket.write(chunk);
            written += taken;
            if (taken < part) {
                break;
            }
        }
        return written;
    }

    /** Reads what has arrived, maybe nothing; throws IOException if the collector has closed the channel. */
    int read(byte[] bytes, int offset, int length) throws IOException {
        chunk.clear();
        chunk.limit(Math.min(length, CHUNK_BYTES));
        int count = socket.read(chunk);
        if (count < 0) {
            throw new IOException("closed");
        }
        chunk.flip();
        chunk.get(bytes, offset, count);
        return count;
    }

    public void close() {
        try {
            socket.close();
        } catch (IOException alreadyBroken) {
            // It is closed anyway.
        }
    }
}
