package buto.store.order;

import buto.store.service.Database;
import buto.store.service.Remote;
import buto.store.service.Request;
import buto.store.service.Service;
import buto.store.service.Settings;
import buto.store.tracing.Tracer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** The service that takes orders: {@code port=8283 database=URL catalogue=URL traces=DIRECTORY}. */
public final class Order {
    private static final int PIECES = 12;

    private final Remote catalogue;
    private final Orders orders;
    private final Pricing pricing = new Pricing();
    private final Vouchers vouchers = new Vouchers();

    private Order(Remote catalogue, Orders orders) {
        this.catalogue = catalogue;
        this.orders = orders;
    }

    public static void main(String... arguments) throws Exception {
        Settings settings = Settings.of(arguments);
        Order order = new Order(
                new Remote("catalogue", settings.text("catalogue")),
                new Orders(new Database(settings.text("database"))));
        Tracer.open("order", Path.of(settings.text("traces")));
        Service.on(settings.number("port")).route("POST", "/orders", order::place).start();
    }

    private String place(Request request) throws Exception {
        String products = catalogue.get("/products", "ids=" + request.text("products"));
        List<Line> lines = Arrays.stream(products.split("\n")).map(line -> line.split(";")).map(Order::line).toList();
        long cents = pricing.total(lines);
        if (request.parameters().containsKey("voucher")) {
            cents -= Math.min(cents, vouchers.discount(request.text("voucher")));
        }
        return orders.place(request.number("customer"), cents, lines) + ";" + cents;
    }

    private static Line line(String... fields) {
        int product = Integer.parseInt(fields[0]);
        return new Line(product, 1 + product % PIECES, Integer.parseInt(fields[2]));
    }
}
