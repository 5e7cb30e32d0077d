package buto.store.service;

import buto.store.tracing.Span;
import buto.store.tracing.Tracer;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** An HTTP server on the loopback address, in which each request is a span. */
public final class Service implements AutoCloseable {
    private static final int THREADS = 64;
    private static final int WAITING = 256;

    /** What a route does with a request; it returns the body of the answer. */
    @FunctionalInterface
    public interface Route {
        String answer(Request request) throws Exception;
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

    private Service(HttpServer server) {
        this.server = server;
        server.setExecutor(threads);
    }

    /** Opens the port; requests are answered once {@link #start} was called. */
    public static Service on(int port) throws IOException {
        // Otherwise the kernel holds small answers back until the last one was acknowledged: 40 ms.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        return new Service(HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), WAITING));
    }

    /** Adds a route, named by method and path. */
    public Service route(String method, String path, Route route) {
        String name = method + " " + path;
        server.createContext(path, exchange -> {
            try (exchange) {
                answer(exchange, name, route);
            }
        });
        return this;
    }

    /** Answers requests until the process is asked to end. */
    public void start() {
        server.createContext("/ready", exchange -> {
            try (exchange) {
                exchange.sendResponseHeaders(204, -1);
            }
        });
        Runtime.getRuntime().addShutdownHook(new Thread(this::close));
        server.start();
        System.out.println("ready at port " + server.getAddress().getPort());
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdown();
        try {
            threads.awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        Tracer.close();
    }

    private static void answer(HttpExchange exchange, String name, Route route) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        String text = body.length == 0 ? exchange.getRequestURI().getRawQuery() : new String(body, StandardCharsets.UTF_8);
        String parent = exchange.getRequestHeaders().getFirst(Span.HEADER);
        int status = 200;
        byte[] answer;
        try (Span span = Tracer.request(name, parent)) {
            answer = route.answer(Request.parse(text)).getBytes(StandardCharsets.UTF_8);
        } catch (Exception failure) {
            failure.printStackTrace();
            status = 500;
            answer = failure.toString().getBytes(StandardCharsets.UTF_8);
        }
        exchange.sendResponseHeaders(status, answer.length == 0 ? -1 : answer.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(answer);
        }
    }
}
