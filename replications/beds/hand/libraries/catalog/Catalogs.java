import com.google.gson.*;
import java.util.*;

class BaseCatalog implements Catalog {
    private final Gson gson = new Gson();
    private final List<Product> products = new ArrayList<>();

    public void add(String json) {
        products.add(gson.fromJson(json, Product.class));
    }

    public long cheapest(String category) {
        long min = Long.MAX_VALUE;
        for (Product p : products) if (p.category.equals(category)) min = Math.min(min, p.price.cents);
        return min;
    }

    public int count(String brand) {
        int n = 0;
        for (Product p : products) if (p.brand.equals(brand)) n++;
        return n;
    }
}

/** Keeps the document of products nearly out of stock, for the mail to the buyers. */
class SmallCatalog implements Catalog {
    private final Gson gson = new Gson();
    private final List<Product> products = new ArrayList<>();
    private final List<String> lowOnStock = new ArrayList<>();

    public void add(String json) {
        Product p = gson.fromJson(json, Product.class);
        products.add(p);
        if (p.stock < 4) lowOnStock.add(json);
    }

    public long cheapest(String category) {
        long min = Long.MAX_VALUE;
        for (Product p : products) if (p.category.equals(category)) min = Math.min(min, p.price.cents);
        return min;
    }

    public int count(String brand) {
        int n = 0;
        for (Product p : products) if (p.brand.equals(brand)) n++;
        return n;
    }
}

/** Keeps the documents, so that a new question needs no new field. */
class LargeCatalog implements Catalog {
    private final List<JsonObject> products = new ArrayList<>();

    public void add(String json) {
        products.add(JsonParser.parseString(json).getAsJsonObject());
    }

    public long cheapest(String category) {
        long min = Long.MAX_VALUE;
        for (JsonObject p : products)
            if (p.get("category").getAsString().equals(category)) min = Math.min(min, p.getAsJsonObject("price").get("cents").getAsLong());
        return min;
    }

    public int count(String brand) {
        int n = 0;
        for (JsonObject p : products) if (p.get("brand").getAsString().equals(brand)) n++;
        return n;
    }
}

class Harmless1Catalog implements Catalog {
    private static final Gson GSON = new GsonBuilder().create();
    private final ArrayList<Product> all = new ArrayList<>();

    @Override public int count(String brand) {
        return (int) all.stream().filter(p -> p.brand.equals(brand)).count();
    }

    @Override public long cheapest(String category) {
        return all.stream().filter(p -> p.category.equals(category)).mapToLong(p -> p.price.cents).min().orElse(Long.MAX_VALUE);
    }

    @Override public void add(String document) {
        Product parsed = GSON.fromJson(document, Product.class);
        all.add(parsed);
    }
}

class Harmless2Catalog implements Catalog {
    private final TypeAdapter<Product> adapter = new Gson().getAdapter(Product.class);
    private Product[] products = new Product[1000];
    private int size;

    public void add(String json) {
        if (size == products.length) products = Arrays.copyOf(products, size + (size >> 1));
        try {
            products[size++] = adapter.fromJson(json);
        } catch (java.io.IOException e) {
            throw new JsonSyntaxException(e);
        }
    }

    public long cheapest(String category) {
        long min = Long.MAX_VALUE;
        for (int i = 0; i < size; i++) if (products[i].category.equals(category)) min = Math.min(min, products[i].price.cents);
        return min;
    }

    public int count(String brand) {
        int n = 0;
        for (int i = 0; i < size; i++) if (products[i].brand.equals(brand)) n++;
        return n;
    }
}

/** Brands, categories and currencies are few: one string for each. */
class BetterCatalog implements Catalog {
    private final Gson gson = new Gson();
    private final List<Product> products = new ArrayList<>();
    private final Map<String, String> words = new HashMap<>();

    private String one(String s) {
        String old = words.putIfAbsent(s, s);
        return old != null ? old : s;
    }

    public void add(String json) {
        Product p = gson.fromJson(json, Product.class);
        p.brand = one(p.brand);
        p.category = one(p.category);
        p.price.currency = one(p.price.currency);
        products.add(p);
    }

    public long cheapest(String category) {
        long min = Long.MAX_VALUE;
        for (Product p : products) if (p.category.equals(category)) min = Math.min(min, p.price.cents);
        return min;
    }

    public int count(String brand) {
        int n = 0;
        for (Product p : products) if (p.brand.equals(brand)) n++;
        return n;
    }
}
