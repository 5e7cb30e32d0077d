import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/** A server with a metrics page: /search is quick, /create takes each name once, /slow takes 20 ms. */
public final class MetricsServer {
    private static final String TOKEN = "t-4711";
    private static final AtomicLong SEARCHES = new AtomicLong();
    private static final AtomicLong SLOW_NANOS = new AtomicLong();
    private static final Set<String> NAMES = ConcurrentHashMap.newKeySet();

    private MetricsServer() {
    }

    public static void main(String[] arguments) throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        HttpServer server = HttpServer.create(address, 0);
        server.setExecutor(Executors.newFixedThreadPool(4));
        server.createContext("/metrics", exchange -> answer(exchange, 200, page()));
        server.createContext("/login", exchange -> answer(exchange, 200, "{\"access\": {\"token\": \"" + TOKEN + "\"}}"));
        server.createContext("/search", exchange -> {
            SEARCHES.incrementAndGet();
            answer(exchange, 200, "found");
        });
        server.createContext("/create", MetricsServer::create);
        server.createContext("/slow", MetricsServer::slow);
        server.start();
    }

    private static void create(HttpExchange exchange) throws IOException {
        String name = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        boolean known = ("Bearer " + TOKEN).equals(exchange.getRequestHeaders().getFirst("Authorization"));
        answer(exchange, known ? NAMES.add(name) ? 201 : 409 : 401, name);
    }

    private static void slow(HttpExchange exchange) throws IOException {
        long begun = System.nanoTime();
        while (System.nanoTime() - begun < 20_000_000) {
            Thread.onSpinWait();
        }
        SLOW_NANOS.addAndGet(System.nanoTime() - begun);
        answer(exchange, 200, "done");
    }

    private static String page() {
        return "# TYPE searches_total counter\nsearches_total{kind=\"all\"} " + SEARCHES.get()
            + "\n# TYPE slow_seconds summary\nslow_seconds_sum " + SLOW_NANOS.get() / 1e9
            + "\n# TYPE names gauge\nnames " + NAMES.size() + "\n";
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        byte[] content = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, content.length);
        try (OutputStream body = exchange.getResponseBody()) {
            body.write(content);
        }
    }
}
