package buto.testprograms.leaker;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** HTTP requests to a free port of this machine. */
final class Requests {
    private static final int NO_CONTENT = 204;

    private Requests() {
    }

    /** Does a job for each request, one after the other, until the program ends. */
    static void serve(Runnable job) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            job.run();
            exchange.sendResponseHeaders(NO_CONTENT, -1);
            exchange.close();
        });
        server.start();
    }
}
