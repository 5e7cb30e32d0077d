import com.sun.net.httpserver.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicInteger;

/** Asks a weather service on the loopback for many stations at a time and averages by country. */
public class Main {
    static Stations stations;

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        int port = serve();
        stations = pick(args[0], "http://127.0.0.1:" + port + "/station/");
        double[] sum = new double[6];
        for (int hour = 0; hour < 12; hour++) {
            for (int country = 0; country < 6; country++) {
                List<Integer> ids = new ArrayList<>();
                for (int i = 0; i < 8; i++) ids.add(hour * 1000 + country * 100 + i);
                for (double t : stations.temperatures(country, ids)) sum[country] += t;
            }
        }
        System.out.println(Arrays.toString(sum));
    }

    /** Runs until the program ends. */
    private static int serve() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 100);
        server.setExecutor(Executors.newFixedThreadPool(6, new Daemons("station")));
        server.createContext("/station/", x -> {
            int id = Integer.parseInt(x.getRequestURI().getPath().substring("/station/".length()));
            try {
                Thread.sleep(2);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            byte[] body = ("{\"id\":" + id + ",\"celsius\":" + (id * 37 % 400 - 100) / 8.0 + "}").getBytes(StandardCharsets.US_ASCII);
            x.sendResponseHeaders(200, body.length);
            x.getResponseBody().write(body);
            x.close();
        });
        Thread t = new Thread(server::start);
        t.setDaemon(true);
        t.start();
        t.join();
        return server.getAddress().getPort();
    }

    private static Stations pick(String v, String url) {
        return switch (v) {
            case "base" -> new Base(url);
            case "small" -> new Small(url);
            case "large" -> new Large(url);
            case "harmless1" -> new Harmless1(url);
            case "harmless2" -> new Harmless2(url);
            case "better" -> new Better(url);
            default -> throw new IllegalArgumentException(v);
        };
    }

    static double celsius(String json) {
        return Double.parseDouble(json.substring(json.indexOf("celsius") + 9, json.length() - 1));
    }
}

interface Stations {
    List<Double> temperatures(int country, List<Integer> ids) throws Exception;
}

final class Daemons implements ThreadFactory {
    private final AtomicInteger n = new AtomicInteger();
    private final String name;

    Daemons(String name) { this.name = name; }

    @Override public Thread newThread(Runnable r) {
        Thread t = new Thread(r, name + "-" + n.incrementAndGet());
        t.setDaemon(true);
        return t;
    }
}

final class Answer implements okhttp3.Callback {
    final CompletableFuture<String> body = new CompletableFuture<>();

    @Override public void onFailure(okhttp3.Call call, java.io.IOException e) {
        body.completeExceptionally(e);
    }

    @Override public void onResponse(okhttp3.Call call, okhttp3.Response response) throws java.io.IOException {
        try (response) {
            body.complete(response.body().string());
        }
    }
}
