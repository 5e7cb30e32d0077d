import java.util.*;

class BaseLatest implements Latest {
    private final Map<Integer, List<Sample>> byDevice = new HashMap<>();

    public void batch(int device, List<Sample> samples) {
        int from = Math.max(0, samples.size() - KEEP);
        byDevice.put(device, new ArrayList<>(samples.subList(from, samples.size())));
    }

    public double mean(int device) {
        return Latest.mean(byDevice.get(device));
    }
}

class SmallLatest implements Latest {
    private final Map<Integer, List<Sample>> byDevice = new HashMap<>();

    public void batch(int device, List<Sample> samples) {
        List<Sample> kept = new ArrayList<>(samples);
        kept.subList(0, Math.max(0, kept.size() - KEEP)).clear();
        byDevice.put(device, kept);
    }

    public double mean(int device) {
        return Latest.mean(byDevice.get(device));
    }
}

class LargeLatest implements Latest {
    private final Map<Integer, List<Sample>> byDevice = new HashMap<>();

    public void batch(int device, List<Sample> samples) {
        int from = Math.max(0, samples.size() - KEEP);
        byDevice.put(device, samples.subList(from, samples.size()));
    }

    public double mean(int device) {
        return Latest.mean(byDevice.get(device));
    }
}

class Harmless1Latest implements Latest {
    private final Map<Integer, List<Sample>> byDevice = new HashMap<>();

    public void batch(int device, List<Sample> samples) {
        byDevice.put(device, tail(samples));
    }

    private static List<Sample> tail(List<Sample> samples) {
        int from = Math.max(0, samples.size() - KEEP);
        return List.copyOf(samples.subList(from, samples.size()));
    }

    public double mean(int device) {
        return byDevice.getOrDefault(device, List.of()).stream().mapToDouble(s -> s.value).reduce(0, Double::sum) / byDevice.get(device).size();
    }
}

class Harmless2Latest implements Latest {
    private final SortedMap<Integer, Window> windows = new TreeMap<>();

    private record Window(Sample[] samples) {
        double mean() {
            return Latest.mean(Arrays.asList(samples));
        }
    }

    public void batch(int device, List<Sample> samples) {
        windows.put(device, new Window(samples.subList(Math.max(0, samples.size() - KEEP), samples.size()).toArray(new Sample[0])));
    }

    public double mean(int device) {
        return windows.get(device).mean();
    }
}

class BetterLatest implements Latest {
    private final Map<Integer, double[]> values = new HashMap<>();

    public void batch(int device, List<Sample> samples) {
        int n = Math.min(KEEP, samples.size());
        double[] kept = values.get(device);
        if (kept == null || kept.length != n) values.put(device, kept = new double[n]);
        for (int i = 0; i < n; i++) kept[i] = samples.get(samples.size() - n + i).value;
    }

    public double mean(int device) {
        double s = 0;
        for (double d : values.get(device)) s += d;
        return s / values.get(device).length;
    }
}
