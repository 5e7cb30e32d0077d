import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;

/** Writes orders as text and reads them again, with one mapper. */
final class JacksonOrders {
    private static final int ORDERS = 30_000;

    public static void main(String[] args) throws Exception {
        var mapper = new ObjectMapper();
        long total = 0;
        for (int i = 0; i < ORDERS; i++) {
            var order = Map.of("number", i, "customer", "customer" + i % 100, "goods", List.of("apple", "pear", i));
            JsonNode read = mapper.readTree(mapper.writeValueAsString(order));
            total += read.get("number").asInt() + read.get("goods").size();
        }
        System.out.println(total);
        Use.print(mapper);
    }
}
