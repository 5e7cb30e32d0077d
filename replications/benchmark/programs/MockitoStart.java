import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.util.List;
import java.util.Map;

/** Makes its first mocks, as each JVM that runs tests does. */
final class MockitoStart {
    interface Prices {
        int of(String article);
    }

    static class Basket {
        int total(Prices prices) {
            return prices.of("apple");
        }
    }

    public static void main(String[] args) throws Exception {
        Prices prices = mock(Prices.class);
        when(prices.of("apple")).thenReturn(3);
        Basket basket = mock(Basket.class);
        when(basket.total(prices)).thenReturn(4);
        List<?> list = mock(List.class);
        Map<?, ?> map = mock(Map.class);
        if (prices.of("apple") + basket.total(prices) != 7) {
            throw new IllegalStateException("a mock must answer as it was told");
        }
        Use.ready();
        Use.print(prices, basket, list, map);
    }
}
