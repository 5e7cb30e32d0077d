import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

final class RegistryBase implements Registry {
    private static final int KEPT = 120;
    private static final int DROP = 1_200;

    static final class Reading {
        final int minute;
        final int grams;
        final int centiDegrees;

        Reading(int minute, int grams, int centiDegrees) {
            this.minute = minute;
            this.grams = grams;
            this.centiDegrees = centiDegrees;
        }

        int grams() { return grams; }
    }

    static final class Hive {
        final String name;
        final ArrayDeque<Reading> readings = new ArrayDeque<>();

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
        Reading last = hive.readings.peekLast();
        if (last != null && last.grams() - grams > DROP) {
            List<Alert> of = alerts.get(name);
            if (of == null) {
                of = new ArrayList<>();
                alerts.put(name, of);
            }
            of.add(new Alert(minute, name + " lost " + (last.grams() - grams) + " g"));
        }
        hive.readings.addLast(new Reading(minute, grams, centiDegrees));
        if (hive.readings.size() > KEPT) hive.readings.removeFirst();
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
            grams += hive.readings.peekLast().grams();
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
