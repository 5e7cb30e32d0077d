package buto.store.catalogue;

import buto.store.service.Database;
import buto.store.service.Request;
import buto.store.service.Service;
import buto.store.service.Settings;
import buto.store.tracing.Tracer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The service that knows the products: {@code port=8282 database=URL traces=DIRECTORY}. */
public final class Catalogue {
    private static final int RECOMMENDED = 8;

    private final Products products;
    private final Recommender recommender;
    private final Search search;

    private Catalogue(Products products, List<Product> all) {
        this.products = products;
        this.recommender = new Recommender(all.size());
        this.search = new Search(all);
    }

    public static void main(String... arguments) throws Exception {
        Settings settings = Settings.of(arguments);
        Products products = new Products(new Database(settings.text("database")));
        Catalogue catalogue = new Catalogue(products, products.all());
        Tracer.open("catalogue", Path.of(settings.text("traces")));
        Service.on(settings.number("port"))
                .route("GET", "/recommendations", catalogue::recommendations)
                .route("GET", "/search", catalogue::search)
                .route("GET", "/products", catalogue::products)
                .start();
    }

    private String recommendations(Request request) throws Exception {
        int[] viewed = products.viewedBy(request.number("customer"));
        return lines(products.byId(boxed(recommender.rank(viewed, RECOMMENDED))));
    }

    private String search(Request request) {
        return lines(search.find(request.text("word")));
    }

    private String products(Request request) throws Exception {
        int[] ids = Arrays.stream(request.text("ids").split(",")).mapToInt(Integer::parseInt).toArray();
        return lines(products.byId(boxed(ids)));
    }

    private static Integer[] boxed(int... ids) {
        return Arrays.stream(ids).boxed().toArray(Integer[]::new);
    }

    private static String lines(List<Product> products) {
        return products.stream().map(Product::line).collect(Collectors.joining("\n"));
    }
}
