package buto.store.catalogue;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("component")
class SearchTest {
    private static final List<Product> PRODUCTS = IntStream.rangeClosed(1, 1000)
            .mapToObj(id -> new Product(id, "Product " + id, 100, id % 2 == 0 ? "river stone cloud" : "paper linen"))
            .toList();
    private static final Search SEARCH = new Search(PRODUCTS);
    private static final int WARM_UP = 50;
    private static final int TIMES = 150;

    @BeforeAll
    static void warmUp() {
        find(WARM_UP);
    }

    @Test
    void find() {
        assertEquals(TIMES * 10, find(TIMES));
    }

    private static int find(int times) {
        int found = 0;
        for (int time = 0; time < times; time++) {
            found += SEARCH.find("stome").size();
        }
        return found;
    }
}
