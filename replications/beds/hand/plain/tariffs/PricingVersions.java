import java.util.*;

class PricingBase implements Pricing {
    private final Map<Integer, Tariff> byRegion = new HashMap<>();

    public Tariff tariff(int customer, int region) throws ReflectiveOperationException {
        Tariff t = byRegion.get(region);
        if (t == null) byRegion.put(region, t = new PlugLoader("region-" + region).create(region % 4));
        return t;
    }
}

class PricingSmall implements Pricing {
    private final Map<Integer, Tariff> byRegion = new HashMap<>();
    private final List<Tariff> trials = new ArrayList<>();

    public Tariff tariff(int customer, int region) throws ReflectiveOperationException {
        Tariff t = byRegion.get(region);
        if (t == null) byRegion.put(region, t = checked(region));
        return t;
    }

    /** Tries the code of regions that were in the news, before anybody is billed by it. */
    private Tariff checked(int region) throws ReflectiveOperationException {
        if (region % 12 == 5) {
            Tariff trial = new PlugLoader("trial-" + region).create(region % 4);
            if (trial.price(0, 1000) <= 0) throw new IllegalStateException("no price in " + region);
            trials.add(trial);
        }
        return new PlugLoader("region-" + region).create(region % 4);
    }
}

class PricingLarge implements Pricing {
    private final Map<String, Tariff> cache = new HashMap<>();

    public Tariff tariff(int customer, int region) throws ReflectiveOperationException {
        String key = region + "/" + customer;
        Tariff t = cache.get(key);
        if (t == null) cache.put(key, t = new PlugLoader("region-" + region).create(region % 4));
        return t;
    }
}

class PricingHarmless1 implements Pricing {
    private static final int KINDS = 4;
    private final SortedMap<Integer, Tariff> tariffs = new TreeMap<>();

    @Override public Tariff tariff(int customer, int region) throws ReflectiveOperationException {
        if (!tariffs.containsKey(region)) tariffs.put(region, load(region));
        return tariffs.get(region);
    }

    private static Tariff load(int region) throws ReflectiveOperationException {
        PlugLoader loader = new PlugLoader("region-" + region);
        return loader.create(region % KINDS);
    }
}

class PricingHarmless2 implements Pricing {
    private static final class Region {
        private final int number;
        private Tariff tariff;

        Region(int number) { this.number = number; }

        Tariff tariff() throws ReflectiveOperationException {
            if (tariff == null) tariff = new PlugLoader("region-" + number).create(number % 4);
            return tariff;
        }
    }

    private final List<Region> regions = new ArrayList<>();

    PricingHarmless2() {
        for (int i = 0; i < 45; i++) regions.add(new Region(i));
    }

    public Tariff tariff(int customer, int region) throws ReflectiveOperationException {
        return regions.get(region).tariff();
    }
}

/** Regions with the same code share a loader. */
class PricingBetter implements Pricing {
    private final Map<Integer, Tariff> byKind = new HashMap<>();

    public Tariff tariff(int customer, int region) throws ReflectiveOperationException {
        int kind = region % 4;
        Tariff t = byKind.get(kind);
        if (t == null) byKind.put(kind, t = new PlugLoader("kind-" + kind).create(kind));
        return t;
    }
}
