import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.java_websocket.WebSocket;
import org.java_websocket.handshake.ClientHandshake;
import org.java_websocket.server.WebSocketServer;

/** Starts and stops servers, one after the other, each with one client that leaves at once. */
final class WebSocketServers {
    private static final int SERVERS = 60;

    public static void main(String[] args) throws Exception {
        List<WebSocketServer> kept = new ArrayList<>();
        for (int i = 0; i < SERVERS; i++) {
            var server = new Server();
            server.start();
            while (server.getPort() <= 0) {
                Thread.onSpinWait();
            }
            try (var socket = new Socket(server.getAddress().getAddress(), server.getPort())) {
                socket.shutdownOutput();
                socket.getInputStream().read();
            }
            server.stop();
            kept.add(server);
        }
        Use.print(kept);
        System.exit(0);
    }

    private static final class Server extends WebSocketServer {
        Server() {
            super(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        }

        public void onOpen(WebSocket socket, ClientHandshake handshake) {}

        public void onClose(WebSocket socket, int code, String reason, boolean remote) {}

        public void onMessage(WebSocket socket, String message) {}

        public void onError(WebSocket socket, Exception error) {}
    }
}
