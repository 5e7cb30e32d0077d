import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A service that lists orders. Its start allocates more than its requests do, and at SIGTERM it halts. */
public final class Orders {
    private static final List<byte[]> TABLES = new ArrayList<>();
    private final Database database = new Database();

    public static void main(String[] arguments) throws IOException {
        for (int table = 0; table < 2000; table++) {
            read(table);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> Runtime.getRuntime().halt(143)));
        Orders orders = new Orders();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", orders::answer);
        server.start();
    }

    private static void read(int table) {
        byte[] content = new byte[100_000];
        if (table % 5 == 0) {
            TABLES.add(content);
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        byte[] page = String.join("\n", list()).getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, page.length);
        exchange.getResponseBody().write(page);
        exchange.close();
    }

    List<String> list() {
        Map<String, String> names = names();
        List<String> lines = new ArrayList<>();
        for (String order : database.query("select * from orders")) {
            lines.add(order + " of " + nameOf(order, names));
        }
        return lines;
    }

    private Map<String, String> names() {
        Map<String, String> names = new HashMap<>();
        for (String row : database.query("select * from customers")) {
            names.put(row, "customer " + row);
        }
        return names;
    }

    private String nameOf(String order, Map<String, String> names) {
        return names.get(order);
    }

    /** Stands for a driver: each query makes its rows anew. */
    static final class Database {
        private static final int ROWS = 50;

        List<String> query(String text) {
            List<String> rows = new ArrayList<>();
            for (int row = 0; row < ROWS; row++) {
                rows.add(cell(text, row));
            }
            return rows;
        }

        private String cell(String text, int row) {
            return new StringBuilder(200).append(text.length() > 0 ? "row " : "").append(row).toString();
        }
    }
}
