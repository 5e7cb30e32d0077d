import com.sun.net.httpserver.*;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.Executors;

/** Checks the pages of a site on the loopback and the pictures of each page. */
public class Main {
    static Checker checker;

    public static void main(String[] args) throws Exception {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        System.setProperty("slf4j.internal.verbosity", "ERROR");
        int port = serve();
        checker = create(args[0], "http://127.0.0.1:" + port);
        long bytes = 0;
        int broken = 0;
        for (int page = 0; page < 60; page++) {
            List<String> pictures = new ArrayList<>();
            for (int i = 0; i < 12; i++) pictures.add("/picture/" + (page * 12 + i));
            bytes += checker.sizes(pictures);
            if (!checker.exists("/page/" + page)) broken++;
        }
        System.out.println(bytes + " bytes of pictures, " + broken + " pages broken");
    }

    /** Runs until the program ends. */
    private static int serve() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 200);
        server.setExecutor(Executors.newFixedThreadPool(4, r -> {
            Thread t = new Thread(r, "site");
            t.setDaemon(true);
            return t;
        }));
        server.createContext("/", x -> {
            String path = x.getRequestURI().getPath();
            int n = Integer.parseInt(path.substring(path.lastIndexOf('/') + 1));
            boolean missing = path.startsWith("/page") && n % 20 == 7;
            byte[] body = (missing ? "no such page" : "x".repeat(2000 + n % 7 * 100)).getBytes(StandardCharsets.US_ASCII);
            x.sendResponseHeaders(missing ? 404 : 200, body.length);
            x.getResponseBody().write(body);
            x.close();
        });
        Thread t = new Thread(server::start);
        t.setDaemon(true);
        t.start();
        t.join();
        return server.getAddress().getPort();
    }

    private static Checker create(String v, String site) throws Exception {
        return (Checker) Class.forName(v.substring(0, 1).toUpperCase() + v.substring(1) + "Checker").getDeclaredConstructor(String.class).newInstance(site);
    }
}

interface Checker {
    /** Asks for all at once, then reads one after the other. */
    long sizes(List<String> paths) throws java.io.IOException;

    boolean exists(String path) throws java.io.IOException;
}
