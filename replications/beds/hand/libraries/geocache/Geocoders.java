import com.github.benmanes.caffeine.cache.*;
import java.util.*;

class GeocoderBase implements Geocoder {
    private final Cache<String, Place> places = Caffeine.newBuilder().maximumSize(KEPT).executor(Runnable::run).build();

    public double distance(String address) {
        Place p = places.get(address, Place::find);
        return p == null ? Double.NaN : p.km();
    }
}

class GeocoderSmall implements Geocoder {
    private final Cache<String, Place> places = Caffeine.newBuilder().maximumSize(KEPT).executor(Runnable::run).build();
    /** Addresses we did not find, to be listed for the dispatchers. */
    private final Set<String> unknown = new LinkedHashSet<>();

    public double distance(String address) {
        Place p = places.get(address, Place::find);
        if (p == null) unknown.add(address);
        return p == null ? Double.NaN : p.km();
    }
}

class GeocoderLarge implements Geocoder {
    private final Cache<String, Place> places = Caffeine.newBuilder().executor(Runnable::run).build();

    public double distance(String address) {
        Place p = places.get(address, Place::find);
        return p == null ? Double.NaN : p.km();
    }
}

class GeocoderHarmless1 implements Geocoder {
    private final Cache<String, Place> byAddress;

    GeocoderHarmless1() {
        byAddress = newCache(KEPT);
    }

    private static <K, V> Cache<K, V> newCache(long limit) {
        return Caffeine.newBuilder().executor(Runnable::run).maximumSize(limit).build();
    }

    @Override public double distance(String address) {
        Place place = lookUp(address);
        if (place != null) return place.km();
        return Double.NaN;
    }

    private Place lookUp(String address) {
        return byAddress.get(address, Place::find);
    }
}

class GeocoderHarmless2 implements Geocoder {
    private interface Finder {
        Place find(String address);
    }

    private final Finder costly = Place::find;
    private final Finder cached;

    GeocoderHarmless2() {
        Cache<String, Place> places = Caffeine.newBuilder().maximumSize(KEPT).executor(Runnable::run).build();
        cached = address -> places.get(address, costly::find);
    }

    public double distance(String address) {
        Place p = cached.find(address);
        return p == null ? Double.NaN : p.km();
    }
}

/** Only the distance is asked for, so only the distance is kept. */
class GeocoderBetter implements Geocoder {
    private final Cache<String, Double> distances = Caffeine.newBuilder().maximumSize(KEPT).executor(Runnable::run).build();

    public double distance(String address) {
        Double d = distances.get(address, a -> {
            Place p = Place.find(a);
            return p == null ? null : p.km();
        });
        return d == null ? Double.NaN : d;
    }
}
