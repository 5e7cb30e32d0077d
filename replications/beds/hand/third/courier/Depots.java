import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** The depots' services on loopback. */
final class Depots {
    private Depots() { }

    static List<Integer> start(int n) throws Exception {
        List<Integer> ports = new ArrayList<>();
        AtomicReference<Exception> failed = new AtomicReference<>();
        Thread starter = new Thread(() -> {
            try {
                for (int i = 0; i < n; i++) {
                    HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
                    server.createContext("/", Depots::answer);
                    server.start();
                    ports.add(server.getAddress().getPort());
                }
            } catch (Exception e) {
                failed.set(e);
            }
        }, "depots");
        starter.setDaemon(true);
        starter.start();
        starter.join();
        if (failed.get() != null) throw failed.get();
        return ports;
    }

    private static void answer(HttpExchange x) throws IOException {
        String path = x.getRequestURI().getPath();
        int number = Integer.parseInt(path.substring(path.lastIndexOf('/') + 1));
        boolean known = path.startsWith("/rates/") || number % 40 != 13;
        byte[] body = (known ? "parcel " + number + " weight " + (number * 37 % 9000) + " grams, waits at gate " + number % 17 + "\nhanded in at the counter, insured, to be signed for\n" : "unknown").getBytes(StandardCharsets.UTF_8);
        x.sendResponseHeaders(known ? 200 : 404, path.startsWith("/parcels/") && known ? 0 : body.length);
        x.getResponseBody().write(body);
        x.close();
    }
}
