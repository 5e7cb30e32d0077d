import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import okhttp3.Response;

/** Sends its first request, to a server on this machine. */
final class OkHttpStart {
    public static void main(String[] args) throws Exception {
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var answering = new Thread(() -> answer(server));
            answering.setDaemon(true);
            answering.start();
            var client = new OkHttpClient();
            HttpUrl url = HttpUrl.parse("http://127.0.0.1:" + server.getLocalPort() + "/shop");
            try (Response response = client.newCall(new Request.Builder().url(url).build()).execute()) {
                response.body().string();
            }
            Use.ready();
            Use.print(client);
        }
    }

    private static void answer(ServerSocket server) {
        byte[] answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes(StandardCharsets.US_ASCII);
        try (Socket client = server.accept()) {
            var in = new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.isEmpty()) {
                    client.getOutputStream().write(answer);
                }
            }
        } catch (IOException closed) {
            throw new UncheckedIOException(closed);
        }
    }
}
