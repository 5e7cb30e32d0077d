import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

final class VaultBase implements Vault {
    private final Map<Integer, Accession> byId = new HashMap<>();
    private final Map<String, List<Accession>> byGenus = new HashMap<>();
    private final Cache<Long, int[]> forecasts = Caffeine.newBuilder().maximumSize(2000).executor(Runnable::run).build();

    @Override public void add(String line) {
        String[] f = line.split(";");
        Accession a = new Accession(Integer.parseInt(f[0]), f[1], f[2], f[3], Integer.parseInt(f[4]), Integer.parseInt(f[5]));
        byId.put(a.id, a);
        byGenus.computeIfAbsent(a.genus, g -> new ArrayList<>()).add(a);
    }

    @Override public void withdraw(int id) {
        Accession a = byId.remove(id);
        if (a == null) return;
        byGenus.get(a.genus).remove(a);
    }

    @Override public int size() {
        return byId.size();
    }

    @Override public List<Accession> genus(String genus) {
        List<Accession> present = new ArrayList<>();
        for (Accession a : byGenus.getOrDefault(genus, List.of())) {
            if (byId.containsKey(a.id)) present.add(a);
        }
        return present;
    }

    @Override public int germination(int id, int year) {
        Accession a = byId.get(id);
        if (a == null) return 0;
        long key = (long) id << 16 | year;
        int[] curve = forecasts.get(key, k -> curve(a, year));
        return curve[curve.length - 1];
    }

    private static int[] curve(Accession a, int year) {
        int[] days = new int[14];
        int reach = Math.max(0, a.viability - 4 * (year - a.year));
        for (int d = 0; d < days.length; d++) days[d] = reach * (d + 1) / days.length;
        return days;
    }
}
