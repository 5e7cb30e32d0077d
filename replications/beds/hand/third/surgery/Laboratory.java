import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;

/** Stands for the laboratory: one thread that answers over loopback. */
final class Laboratory implements Runnable {
    private final Selector selector;
    private final ServerSocketChannel listener;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(4_096);
    private final boolean[] calibrated = new boolean[64];

    Laboratory() throws IOException {
        selector = Selector.open();
        listener = ServerSocketChannel.open();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 256);
        listener.configureBlocking(false);
        listener.register(selector, SelectionKey.OP_ACCEPT);
        Thread t = new Thread(this, "laboratory");
        t.setDaemon(true);
        t.start();
    }

    int port() throws IOException { return ((InetSocketAddress) listener.getLocalAddress()).getPort(); }

    @Override public void run() {
        try {
            while (true) {
                selector.select();
                for (Iterator<SelectionKey> it = selector.selectedKeys().iterator(); it.hasNext(); ) {
                    SelectionKey key = it.next();
                    it.remove();
                    if (key.isAcceptable()) {
                        SocketChannel client = listener.accept();
                        client.configureBlocking(false);
                        client.register(selector, SelectionKey.OP_READ);
                    } else {
                        answer(key);
                    }
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void answer(SelectionKey key) throws IOException {
        SocketChannel client = (SocketChannel) key.channel();
        buffer.clear();
        if (client.read(buffer) < 0) {
            client.close();
            return;
        }
        buffer.flip();
        String request = StandardCharsets.US_ASCII.decode(buffer).toString().strip();
        buffer.clear();
        buffer.put((result(request) + "\n").getBytes(StandardCharsets.US_ASCII)).flip();
        while (buffer.hasRemaining()) client.write(buffer);
    }

    private String result(String request) {
        int space = request.indexOf(' ');
        int analyzer = Integer.parseInt(request, 0, space, 10);
        String sample = request.substring(space + 1);
        if (analyzer % 5 == 1 && !calibrated[analyzer] && sample.endsWith("77")) {
            calibrated[analyzer] = true;
            return "CALIBRATING";
        }
        int hash = sample.hashCode() & 0x7FFF_FFFF;
        StringBuilder out = new StringBuilder(2_200);
        out.append("sample ").append(sample);
        for (int i = 0; i < 72; i++) {
            hash = hash * 31 + i & 0x7FFF_FFFF;
            out.append(";marker ").append(i).append('=').append(hash % 1_000).append(" mmol");
        }
        return out.toString();
    }
}
