import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;

/** Answers two kinds of requests, one after the other, until it is ended. */
public final class Serves {
    private static final int NO_CONTENT = 204;
    private static final int NAMES = 400;

    private Serves() {
    }

    /** Arguments: how many tables are sorted for /list, and for /search. */
    public static void main(String[] arguments) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        answer(server, "/list", Integer.parseInt(arguments[0]));
        answer(server, "/search", Integer.parseInt(arguments[1]));
        server.start();
    }

    private static void answer(HttpServer server, String path, int tables) {
        server.createContext(path, exchange -> {
            for (int table = 0; table < tables; table++) {
                sort(table);
            }
            exchange.sendResponseHeaders(NO_CONTENT, -1);
            exchange.close();
        });
    }

    private static void sort(long seed) {
        String[] names = new String[NAMES];
        long state = seed;
        for (int place = 0; place < names.length; place++) {
            state = state * 6364136223846793005L + 1442695040888963407L;
            names[place] = Long.toString(state >>> 1);
        }
        Arrays.sort(names);
    }
}
