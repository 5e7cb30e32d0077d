import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.jsoup.Jsoup;

/** Gets pages from a server in the same program, each with a connection of its own, as crawlers do. */
final class JsoupConnections {
    private static final int PAGES = 60;

    public static void main(String[] args) throws Exception {
        byte[] page = "<title>Goods</title><p>text".getBytes(StandardCharsets.UTF_8);
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                exchange.getResponseHeaders().add("Content-Type", "text/html");
                exchange.sendResponseHeaders(200, page.length);
                exchange.getResponseBody().write(page);
            }
        });
        server.start();
        String address = "http://127.0.0.1:" + server.getAddress().getPort() + "/goods/";
        long characters = 0;
        for (int i = 0; i < PAGES; i++) {
            characters += Jsoup.connect(address + i).get().title().length();
        }
        System.out.println(characters);
        Use.print();
        server.stop(0);
    }
}
