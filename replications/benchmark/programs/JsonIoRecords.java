import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Writes records as text and reads them back. The library's package and its functions have other names since 4.19. */
final class JsonIoRecords {
    private static final int RECORDS = 300;

    public static final class Order {
        public String name = "order";
        public int pieces = 3;
        public Date at = new Date(0);
        public List<String> lines = new ArrayList<>(List.of("one", "two"));
        public Map<String, Integer> prices = new TreeMap<>(Map.of("one", 1));
    }

    public static void main(String[] args) throws Exception {
        List<Object> kept = new ArrayList<>();
        Method[] functions = functions();
        for (int i = 0; i < RECORDS; i++) {
            String text = (String) called(functions[0], new Order());
            kept.add(((Order) called(functions[1], text)).name);
        }
        Use.print(kept);
    }

    private static Method[] functions() throws Exception {
        try {
            Class<?> now = Class.forName("com.cedarsoftware.io.JsonIo");
            Class<?> options = Class.forName("com.cedarsoftware.io.WriteOptions");
            Class<?> reading = Class.forName("com.cedarsoftware.io.ReadOptions");
            Method write = now.getMethod("toJson", Object.class, options);
            return new Method[] {write, now.getMethod("toObjects", String.class, reading, Class.class)};
        } catch (ClassNotFoundException before) {
            Method write = Class.forName("com.cedarsoftware.util.io.JsonWriter").getMethod("objectToJson", Object.class);
            Class<?> reader = Class.forName("com.cedarsoftware.util.io.JsonReader");
            return new Method[] {write, reader.getMethod("jsonToJava", String.class)};
        }
    }

    private static Object called(Method function, Object given) throws Exception {
        return switch (function.getParameterCount()) {
            case 1 -> function.invoke(null, given);
            case 2 -> function.invoke(null, given, null);
            default -> function.invoke(null, given, null, Order.class);
        };
    }
}
