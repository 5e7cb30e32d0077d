import com.sun.net.httpserver.HttpServer;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import javax.management.ObjectName;

/** Takes orders: so many as its argument says, one every 10 ms, or over HTTP until it is stopped. */
public final class Shop implements ShopMBean {
    private static final int RECEIPT_BYTES = 20_000;

    private final List<byte[]> receipts = new ArrayList<>();

    @Override
    public synchronized int getOrders() {
        return receipts.size();
    }

    @Override
    public synchronized void order(int number) {
        for (int done = 0; done < number; done++) {
            receipts.add(new byte[RECEIPT_BYTES]);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Shop shop = new Shop();
        if (arguments[0].equals("serve")) {
            serve(shop);
            return;
        }
        for (int number = Integer.parseInt(arguments[0]); number > 0; number--) {
            shop.order(1);
            Thread.sleep(10);
        }
    }

    private static void serve(Shop shop) throws Exception {
        ManagementFactory.getPlatformMBeanServer()
            .registerMBean(shop, new ObjectName("shop:type=Shop"));
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/order", exchange -> {
            shop.order(1);
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
    }
}
