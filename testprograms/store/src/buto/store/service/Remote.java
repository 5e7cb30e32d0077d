package buto.store.service;

import buto.store.tracing.Span;
import buto.store.tracing.Tracer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** Another service of the store. */
public final class Remote {
    private static final Duration LONGEST = Duration.ofSeconds(10);

    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String name;
    private final String url;

    public Remote(String name, String url) {
        this.name = name;
        this.url = url;
    }

    /** Asks for a path; {@code query} as {@code a=1&b=2}. */
    public String get(String path, String query) throws IOException, InterruptedException {
        return send("GET", path, HttpRequest.newBuilder(URI.create(url + path + "?" + query)).GET());
    }

    /** Sends a form, as {@code a=1&b=2}. */
    public String post(String path, String form) throws IOException, InterruptedException {
        return send("POST", path,
                HttpRequest.newBuilder(URI.create(url + path)).POST(HttpRequest.BodyPublishers.ofString(form)));
    }

    private String send(String method, String path, HttpRequest.Builder request)
            throws IOException, InterruptedException {
        try (Span span = Tracer.client(method + " " + name + path, "peer.service", name)) {
            span.header().ifPresent(header -> request.header(Span.HEADER, header));
            var answer = client.send(request.timeout(LONGEST).build(), BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IOException(name + " answered " + answer.statusCode() + ": " + answer.body());
            }
            return answer.body();
        }
    }
}
