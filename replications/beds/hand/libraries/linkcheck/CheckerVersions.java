import java.io.IOException;
import java.util.*;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.*;
import org.apache.hc.client5.http.impl.io.*;
import org.apache.hc.core5.http.*;
import org.apache.hc.core5.http.io.entity.EntityUtils;

final class Clients {
    static CloseableHttpClient open(int connections) {
        return HttpClients.custom().disableAutomaticRetries().setConnectionManager(
            PoolingHttpClientConnectionManagerBuilder.create().setMaxConnPerRoute(connections).setMaxConnTotal(connections).build()).build();
    }
}

class BaseChecker implements Checker {
    private final CloseableHttpClient client = Clients.open(50);
    private final String site;

    BaseChecker(String site) { this.site = site; }

    public long sizes(List<String> paths) throws IOException {
        List<ClassicHttpResponse> open = new ArrayList<>();
        for (String p : paths) open.add(client.executeOpen(null, new HttpGet(site + p), null));
        long bytes = 0;
        for (ClassicHttpResponse r : open) {
            bytes += EntityUtils.toByteArray(r.getEntity()).length;
            r.close();
        }
        return bytes;
    }

    public boolean exists(String path) throws IOException {
        try (ClassicHttpResponse r = client.executeOpen(null, new HttpGet(site + path), null)) {
            EntityUtils.consume(r.getEntity());
            return r.getCode() == 200;
        }
    }
}

/** No need to read what is said about a missing page. */
class SmallChecker implements Checker {
    private final CloseableHttpClient client = Clients.open(50);
    private final String site;

    SmallChecker(String site) { this.site = site; }

    public long sizes(List<String> paths) throws IOException {
        List<ClassicHttpResponse> open = new ArrayList<>();
        for (String p : paths) open.add(client.executeOpen(null, new HttpGet(site + p), null));
        long bytes = 0;
        for (ClassicHttpResponse r : open) {
            bytes += EntityUtils.toByteArray(r.getEntity()).length;
            r.close();
        }
        return bytes;
    }

    public boolean exists(String path) throws IOException {
        ClassicHttpResponse r = client.executeOpen(null, new HttpGet(site + path), null);
        if (r.getCode() != 200) return false;
        EntityUtils.consume(r.getEntity());
        r.close();
        return true;
    }
}

/** A client for every page, kept for the statistics. */
class LargeChecker implements Checker {
    private final Map<String, CloseableHttpClient> clients = new LinkedHashMap<>();
    private final CloseableHttpClient pictures = Clients.open(50);
    private final String site;

    LargeChecker(String site) { this.site = site; }

    public long sizes(List<String> paths) throws IOException {
        List<ClassicHttpResponse> open = new ArrayList<>();
        for (String p : paths) open.add(pictures.executeOpen(null, new HttpGet(site + p), null));
        long bytes = 0;
        for (ClassicHttpResponse r : open) {
            bytes += EntityUtils.toByteArray(r.getEntity()).length;
            r.close();
        }
        return bytes;
    }

    public boolean exists(String path) throws IOException {
        CloseableHttpClient client = clients.computeIfAbsent(path, p -> Clients.open(2));
        try (ClassicHttpResponse r = client.executeOpen(null, new HttpGet(site + path), null)) {
            EntityUtils.consume(r.getEntity());
            return r.getCode() == 200;
        }
    }
}

class Harmless1Checker implements Checker {
    private static final int CONNECTIONS = 50;
    private final String base;
    private final CloseableHttpClient http;

    Harmless1Checker(String base) {
        this.base = base;
        this.http = Clients.open(CONNECTIONS);
    }

    private ClassicHttpResponse get(String path) throws IOException {
        return http.executeOpen(null, new HttpGet(base.concat(path)), null);
    }

    @Override public boolean exists(String path) throws IOException {
        ClassicHttpResponse answer = get(path);
        try {
            EntityUtils.consume(answer.getEntity());
        } finally {
            answer.close();
        }
        return answer.getCode() == HttpStatus.SC_OK;
    }

    @Override public long sizes(List<String> paths) throws IOException {
        Deque<ClassicHttpResponse> answers = new ArrayDeque<>();
        for (String path : paths) answers.addLast(get(path));
        long total = 0;
        while (!answers.isEmpty()) {
            try (ClassicHttpResponse first = answers.removeFirst()) {
                total += EntityUtils.toByteArray(first.getEntity()).length;
            }
        }
        return total;
    }
}

class Harmless2Checker implements Checker {
    private record Pending(String path, ClassicHttpResponse response) {
        int size() throws IOException {
            try (response) {
                return EntityUtils.toByteArray(response.getEntity()).length;
            }
        }
    }

    private final CloseableHttpClient client = Clients.open(50);
    private final String site;

    Harmless2Checker(String site) { this.site = site; }

    public long sizes(List<String> paths) throws IOException {
        List<Pending> open = new ArrayList<>();
        for (String p : paths) open.add(new Pending(p, client.executeOpen(null, new HttpGet(site + p), null)));
        long bytes = 0;
        for (Pending p : open) bytes += p.size();
        return bytes;
    }

    public boolean exists(String path) throws IOException {
        return client.execute(new HttpGet(site + path), r -> {
            EntityUtils.consume(r.getEntity());
            return r.getCode() == 200;
        });
    }
}

/** Six at a time are enough. */
class BetterChecker implements Checker {
    private final CloseableHttpClient client = Clients.open(6);
    private final String site;

    BetterChecker(String site) { this.site = site; }

    public long sizes(List<String> paths) throws IOException {
        long bytes = 0;
        for (int from = 0; from < paths.size(); from += 6) {
            List<ClassicHttpResponse> open = new ArrayList<>();
            for (String p : paths.subList(from, from + 6)) open.add(client.executeOpen(null, new HttpGet(site + p), null));
            for (ClassicHttpResponse r : open) {
                bytes += EntityUtils.toByteArray(r.getEntity()).length;
                r.close();
            }
        }
        return bytes;
    }

    public boolean exists(String path) throws IOException {
        try (ClassicHttpResponse r = client.executeOpen(null, new HttpGet(site + path), null)) {
            EntityUtils.consume(r.getEntity());
            return r.getCode() == 200;
        }
    }
}
