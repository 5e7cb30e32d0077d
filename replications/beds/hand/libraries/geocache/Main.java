import java.util.*;

/** Looks up places for addresses of deliveries; the lookups are costly, so places are cached. */
public class Main {
    static Geocoder geocoder;

    public static void main(String[] args) {
        geocoder = switch (args[0]) {
            case "base" -> new GeocoderBase();
            case "small" -> new GeocoderSmall();
            case "large" -> new GeocoderLarge();
            case "harmless1" -> new GeocoderHarmless1();
            case "harmless2" -> new GeocoderHarmless2();
            case "better" -> new GeocoderBetter();
            default -> throw new IllegalArgumentException(args[0]);
        };
        Random r = new Random(1881);
        double km = 0;
        int lost = 0;
        for (int i = 0; i < 160_000; i++) {
            int street = (int) Math.abs(r.nextGaussian() * 9000);
            String address = "Street " + street + ", House " + street % 97;
            double d = geocoder.distance(address);
            if (Double.isNaN(d)) lost++;
            else km += d;
        }
        System.out.printf(Locale.ROOT, "%.3f km, %d addresses not found%n", km, lost);
    }
}

interface Geocoder {
    int KEPT = 6000;

    /** From the depot in km, or NaN when there is no such address. */
    double distance(String address);
}

final class Place {
    final String display;
    final double lat, lon;

    Place(String display, double lat, double lon) {
        this.display = display;
        this.lat = lat;
        this.lon = lon;
    }

    static double km(double lat, double lon) {
        return Math.hypot((lat - 48.2) * 111.2, (lon - 16.4) * 74.1);
    }

    double km() {
        return km(lat, lon);
    }

    /** The costly lookup; null for every eleventh or so. */
    static Place find(String address) {
        int h = address.hashCode();
        for (int i = 0; i < 300; i++) h = h * 31 + 17;
        if (Math.floorMod(h, 11) == 3) return null;
        return new Place(address + " (Bezirk " + Math.floorMod(h, 23) + ")", 48 + Math.floorMod(h, 1000) / 2500.0, 16.2 + Math.floorMod(h / 1000, 1000) / 2500.0);
    }
}
