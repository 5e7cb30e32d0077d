import java.util.*;

/** Loads the products of a shop from JSON documents and answers a few questions about them. */
public class Main {
    static Catalog catalog;

    public static void main(String[] args) throws Exception {
        String v = args[0];
        catalog = (Catalog) Class.forName(v.substring(0, 1).toUpperCase(Locale.ROOT) + v.substring(1) + "Catalog").getDeclaredConstructor().newInstance();
        Random r = new Random(10);
        for (int i = 0; i < 9000; i++) catalog.add(document(r, i));
        long cents = 0;
        int found = 0;
        for (int q = 0; q < 40; q++) {
            cents += catalog.cheapest("category-" + q % 12);
            found += catalog.count("brand-" + q);
        }
        System.out.println("cheapest together " + cents + ", of forty brands " + found);
    }

    private static String document(Random r, int i) {
        return "{\"sku\":\"P-" + i + "\",\"name\":\"Product number " + i + "\",\"brand\":\"brand-" + r.nextInt(120) + "\",\"category\":\"category-" + r.nextInt(12)
            + "\",\"price\":{\"cents\":" + (500 + r.nextInt(90_000)) + ",\"currency\":\"EUR\"},\"stock\":" + r.nextInt(40)
            + ",\"description\":\"" + "fits all standard sockets, ".repeat(1 + r.nextInt(5)) + "\",\"dimensions\":[" + r.nextInt(90) + "," + r.nextInt(90) + "," + r.nextInt(90) + "]}";
    }
}

interface Catalog {
    void add(String json);

    long cheapest(String category);

    int count(String brand);
}

class Product {
    String sku, name, brand, category;
    Price price;
    int stock;

    static class Price {
        long cents;
        String currency;
    }
}
