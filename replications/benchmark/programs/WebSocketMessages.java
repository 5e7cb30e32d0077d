import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.java_websocket.WebSocket;
import org.java_websocket.WebSocketAdapter;
import org.java_websocket.WebSocketImpl;
import org.java_websocket.drafts.Draft_6455;
import org.java_websocket.handshake.Handshakedata;

/** Decodes many messages of a client, as a server does, without a network. */
final class WebSocketMessages {
    private static final int MESSAGES = 100_000;
    private static final int LENGTH = 800;

    public static void main(String[] args) throws Exception {
        Counting counting = new Counting();
        WebSocketImpl socket = new WebSocketImpl(counting, List.of(new Draft_6455()));
        String request =
                "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        + "Sec-WebSocket-Key: b25lIGtleSBvZiBtaW5lIQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
        socket.decode(ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII)));
        byte[] frame = new byte[8 + LENGTH];
        frame[0] = (byte) 0x82;
        frame[1] = (byte) (0x80 | 126);
        frame[2] = (byte) (LENGTH >> 8);
        frame[3] = (byte) LENGTH;
        for (int i = 0; i < MESSAGES; i++) {
            socket.decode(ByteBuffer.wrap(frame));
        }
        if (counting.messages != MESSAGES) {
            throw new IllegalStateException("decoded " + counting.messages);
        }
        Use.print(socket);
    }

    private static final class Counting extends WebSocketAdapter {
        private int messages;

        @Override
        public void onWebsocketMessage(WebSocket socket, String message) {
            messages++;
        }

        @Override
        public void onWebsocketMessage(WebSocket socket, ByteBuffer message) {
            messages++;
        }

        @Override
        public void onWebsocketOpen(WebSocket socket, Handshakedata handshake) {}

        @Override
        public void onWebsocketClose(WebSocket socket, int code, String reason, boolean remote) {}

        @Override
        public void onWebsocketClosing(WebSocket socket, int code, String reason, boolean remote) {}

        @Override
        public void onWebsocketCloseInitiated(WebSocket socket, int code, String reason) {}

        @Override
        public void onWebsocketError(WebSocket socket, Exception error) {
            throw new IllegalStateException(error);
        }

        @Override
        public void onWriteDemand(WebSocket socket) {}

        @Override
        public InetSocketAddress getLocalSocketAddress(WebSocket socket) {
            return null;
        }

        @Override
        public InetSocketAddress getRemoteSocketAddress(WebSocket socket) {
            return null;
        }
    }
}
