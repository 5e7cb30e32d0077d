package buto.store.catalogue;

import buto.store.service.Slowdown;
import buto.store.tracing.Span;
import buto.store.tracing.Tracer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Finds products by words that may be misspelt. */
public final class Search {
    private static final int MOST_MISTAKES = 2;
    private static final int MOST_FOUND = 10;

    private record Found(Product product, int mistakes) {}

    private final Slowdown slowdown = Slowdown.of("Search.find");
    private final Map<Product, List<String>> words = new HashMap<>();
    private final List<Product> products;

    public Search(List<Product> products) {
        this.products = products;
        products.forEach(one -> words.put(one, List.of(one.description().split(" "))));
    }

    /** Returns the products whose descriptions have the word, those with fewest mistakes first. */
    public List<Product> find(String word) {
        try (Span span = Tracer.component("Search.find")) {
            return slowdown.around(() -> best(word));
        }
    }

    private List<Product> best(String word) {
        List<Found> found = new ArrayList<>();
        for (Product product : products) {
            int mistakes = MOST_MISTAKES + 1;
            for (String other : words.get(product)) {
                mistakes = Math.min(mistakes, distance(word, other));
            }
            if (mistakes <= MOST_MISTAKES) {
                found.add(new Found(product, mistakes));
            }
        }
        found.sort(Comparator.comparingInt(Found::mistakes));
        return found.stream().limit(MOST_FOUND).map(Found::product).toList();
    }

    /** Returns how many letters must be replaced, added or removed. */
    static int distance(String one, String other) {
        int[] above = new int[other.length() + 1];
        for (int column = 0; column <= other.length(); column++) {
            above[column] = column;
        }
        for (int row = 1; row <= one.length(); row++) {
            int diagonal = above[0];
            above[0] = row;
            for (int column = 1; column <= other.length(); column++) {
                int replaced = diagonal + (one.charAt(row - 1) == other.charAt(column - 1) ? 0 : 1);
                diagonal = above[column];
                above[column] = Math.min(replaced, 1 + Math.min(diagonal, above[column - 1]));
            }
        }
        return above[other.length()];
    }
}
