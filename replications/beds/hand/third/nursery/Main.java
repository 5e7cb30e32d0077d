import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A tree nursery: orders of plants come in, and the water for the week is reckoned up. */
public class Main {
    static Beds beds;

    public static void main(String[] args) throws Exception {
        beds = Choice.of(Beds.class, "Beds", args[0]);
        List<String> habits = List.of("tree", "shrub", "climber", "herb", "grass", "fern", "moss", "bulb");
        List<Variety> varieties = new ArrayList<>();
        for (int i = 0; i < 120; i++) varieties.add(new Variety("variety" + i, habits.get(i % habits.size()), 2 + i % habits.size()));
        Random random = new Random(8);
        Map<String, Integer> water = new TreeMap<>();
        for (int order = 0; order < 480; order++) {
            Variety v = varieties.get(order % varieties.size());
            boolean potted = order % 11 == 7;
            int degrees = 10 + random.nextInt(20);
            Plant p = beds.plant(v, potted);
            water.merge(p.habit(), p.water(degrees), Integer::sum);
        }
        System.out.println("water " + water.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).collect(Collectors.joining(" ")));
    }
}
