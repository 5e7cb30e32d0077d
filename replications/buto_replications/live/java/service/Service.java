package live.service;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;

/** Counts visits by page until it is asked to end. */
public final class Service {
    private Service() {}

    public static void main(String[] arguments) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        Map<String, Integer> visits = new ConcurrentHashMap<>();
        server.setExecutor(Executors.newFixedThreadPool(2));
        server.createContext("/health", exchange -> {
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.createContext("/page", exchange -> {
            int count = visits.merge(exchange.getRequestURI().getQuery(), 1, Integer::sum);
            byte[] answer = ("visits " + count + "\n").repeat(200).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
        System.out.println("listens on " + server.getAddress().getPort());
    }
}
