import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

final class RegistryBetter implements Registry {
    private static final int KEPT = 120;
    private static final int DROP = 1_200;

    static final class Hive {
        final String name;
        int[] ring = new int[3 * 16];
        int added;

        int last() { return added == 0 ? -1 : ring[(added - 1) % (ring.length / 3) * 3 + 1]; }

        void add(int minute, int grams, int centiDegrees) {
            if (added * 3 == ring.length && added < KEPT) ring = Arrays.copyOf(ring, Math.min(3 * KEPT, ring.length * 2));
            int at = added % (ring.length / 3) * 3;
            ring[at] = minute;
            ring[at + 1] = grams;
            ring[at + 2] = centiDegrees;
            added++;
        }

        Hive(String name) { this.name = name; }
    }

    static final class Alert {
        final int minute;
        final String text;

        Alert(int minute, String text) {
            this.minute = minute;
            this.text = text;
        }
    }

    private final Map<String, Hive> hives = new HashMap<>();
    private final Map<String, List<Alert>> alerts = new HashMap<>();
    private int lost;

    @Override public void reading(String name, int minute, int grams, int centiDegrees) {
        Hive hive = hives.get(name);
        if (hive == null) {
            hive = new Hive(name);
            hives.put(name, hive);
        }
        int last = hive.last();
        if (last - grams > DROP) {
            List<Alert> of = alerts.get(name);
            if (of == null) {
                of = new ArrayList<>();
                alerts.put(name, of);
            }
            of.add(new Alert(minute, name + " lost " + (last - grams) + " g"));
        }
        hive.add(minute, grams, centiDegrees);
    }

    @Override public void lost(String name) {
        hives.remove(name);
        alerts.remove(name);
        lost++;
    }

    @Override public List<String> summary() {
        long grams = 0;
        int warned = 0;
        for (Hive hive : hives.values()) {
            grams += hive.last();
            List<Alert> of = alerts.get(hive.name);
            warned += of == null ? 0 : of.size();
        }
        List<String> lines = new ArrayList<>();
        lines.add("hives in the field " + hives.size());
        lines.add("hives lost " + lost);
        lines.add("mean weight " + grams / hives.size());
        lines.add("alerts " + warned);
        return lines;
    }
}
