package buto.store.order;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("component")
class PricingTest {
    private static final Pricing PRICING = new Pricing();
    private static final List<Line> LINES = List.of(new Line(1, 1, 500), new Line(2, 7, 9900), new Line(3, 12, 1500));
    private static final long FULL = 500 + 7 * 9900 + 12 * 1500;
    private static final int WARM_UP = 1000;
    private static final int TIMES = 3000;

    @BeforeAll
    static void warmUp() {
        total(WARM_UP);
    }

    @Test
    void total() {
        long cents = total(TIMES) / TIMES;
        assertTrue(cents > 0.9 * FULL && cents < FULL, () -> "many pieces must be cheaper, got " + cents);
    }

    private static long total(int times) {
        long sum = 0;
        for (int time = 0; time < times; time++) {
            sum += PRICING.total(LINES);
        }
        return sum;
    }
}
