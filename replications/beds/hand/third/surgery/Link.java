import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A connection to the laboratory. */
final class Link implements Closeable {
    private final Socket socket;
    private final BufferedReader in;
    private final OutputStream out;

    Link(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        out = socket.getOutputStream();
    }

    String ask(String text) throws IOException {
        out.write((text + "\n").getBytes(StandardCharsets.US_ASCII));
        return in.readLine();
    }

    @Override public void close() throws IOException { socket.close(); }
}
