import java.nio.charset.StandardCharsets;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.connector.Request;

/** Asks each of many requests for its URI, method and query several times, as filters and frameworks do. */
final class TomcatUris {
    private static final int REQUESTS = 100_000;
    private static final int QUESTIONS = 10;

    public static void main(String[] args) throws Exception {
        byte[] uri = "/shop/customers/4711/orders/2026/11".getBytes(StandardCharsets.US_ASCII);
        byte[] query = "sort=date&order=descending".getBytes(StandardCharsets.US_ASCII);
        var connector = new Connector();
        var coyote = new org.apache.coyote.Request();
        var request = new Request(connector);
        request.setCoyoteRequest(coyote);
        long length = 0;
        for (int i = 0; i < REQUESTS; i++) {
            coyote.recycle();
            coyote.requestURI().setBytes(uri, 0, uri.length);
            coyote.queryString().setBytes(query, 0, query.length);
            for (int j = 0; j < QUESTIONS; j++) {
                length += request.getRequestURI().length() + request.getQueryString().length();
            }
        }
        System.out.println(length);
        Use.print();
    }
}
