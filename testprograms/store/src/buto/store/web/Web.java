package buto.store.web;

import buto.store.service.Remote;
import buto.store.service.Request;
import buto.store.service.Service;
import buto.store.service.Settings;
import buto.store.tracing.Tracer;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** What customers see: {@code port=8281 catalogue=URL order=URL traces=DIRECTORY}. */
public final class Web {
    private final Remote catalogue;
    private final Remote order;
    private final Sessions sessions = new Sessions();
    private final Page page = new Page();

    private Web(Remote catalogue, Remote order) {
        this.catalogue = catalogue;
        this.order = order;
    }

    public static void main(String... arguments) throws Exception {
        Settings settings = Settings.of(arguments);
        Web web = new Web(
                new Remote("catalogue", settings.text("catalogue")), new Remote("order", settings.text("order")));
        Tracer.open("web", Path.of(settings.text("traces")));
        Service.on(settings.number("port"))
                .route("GET", "/home", web::home)
                .route("GET", "/search", web::search)
                .route("POST", "/order", web::order)
                .start();
    }

    private String home(Request request) throws Exception {
        int customer = customer(request);
        return page.render("Recommended", catalogue.get("/recommendations", "customer=" + customer));
    }

    private String search(Request request) throws Exception {
        customer(request);
        String word = request.text("word");
        String query = "word=" + URLEncoder.encode(word, StandardCharsets.UTF_8);
        return page.render("Search: " + word, catalogue.get("/search", query));
    }

    private String order(Request request) throws Exception {
        StringBuilder form = new StringBuilder("customer=").append(customer(request));
        form.append("&products=").append(request.text("products"));
        String voucher = request.parameters().get("voucher");
        if (voucher != null) {
            form.append("&voucher=").append(URLEncoder.encode(voucher, StandardCharsets.UTF_8));
        }
        String[] placed = order.post("/orders", form.toString()).split(";");
        return page.render("Order " + placed[0], placed[0] + ";Total;" + placed[1]);
    }

    private int customer(Request request) {
        return sessions.customer(Sessions.token(request.number("customer")));
    }
}
