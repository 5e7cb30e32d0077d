package live.driver;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Writes orders as JSON and reads them again: the same ones in each run. */
public final class Driver {
    private static final int ORDERS = 400;

    private Driver() {}

    public static void main(String[] arguments) {
        System.out.println(work(Integer.parseInt(arguments.length > 0 ? arguments[0] : "40")));
    }

    /** Returns the number of characters that were written in all rounds. */
    public static long work(int rounds) {
        Random random = new Random(7);
        Gson gson = new GsonBuilder().setPrettyPrinting().create();
        long written = 0;
        for (int round = 0; round < rounds; round++) {
            List<Map<String, Object>> orders = new ArrayList<>();
            for (int number = 0; number < ORDERS; number++) {
                Map<String, Object> order = new LinkedHashMap<>();
                order.put("number", round * ORDERS + number);
                order.put("customer", "customer " + random.nextInt(1000));
                order.put("prices", new double[] {random.nextDouble(), random.nextDouble()});
                orders.add(order);
            }
            String text = gson.toJson(orders);
            written += text.length() + gson.fromJson(text, List.class).size();
        }
        return written;
    }
}
