import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import reactor.netty.http.client.HttpClient;

/** Sends requests to a server on this machine, each with a client that keeps no connections. */
final class ReactorNettyRequests {
    private static final int REQUESTS = 100;

    public static void main(String[] args) throws Exception {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            byte[] answer = {'o', 'k'};
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
        String address = "http://localhost:" + server.getAddress().getPort() + "/";
        for (int i = 0; i < REQUESTS; i++) {
            HttpClient.newConnection().get().uri(address).responseContent().aggregate().asString().block();
        }
        Use.print();
        server.stop(0);
    }
}
