import java.util.*;

/** Collects batches of samples of field devices and keeps the latest of each for the status page. */
public class Main {
    private static Latest latest;

    public static void main(String[] args) {
        latest = pick(args[0]);
        Random r = new Random(5);
        int devices = 1500;
        for (int round = 0; round < 130; round++) {
            for (int d = 0; d < devices; d++) latest.batch(d, decode(packet(r, 40 + r.nextInt(60))));
        }
        double sum = 0;
        for (int d = 0; d < devices; d++) sum += latest.mean(d);
        System.out.printf(Locale.ROOT, "devices %d, mean of the latest %.6f%n", devices, sum / devices);
    }

    private static byte[] packet(Random r, int n) {
        byte[] p = new byte[n * 3];
        r.nextBytes(p);
        return p;
    }

    private static List<Sample> decode(byte[] p) {
        List<Sample> out = new ArrayList<>();
        for (int i = 0; i + 2 < p.length; i += 3) out.add(new Sample(i, (p[i] << 8 | p[i + 1] & 0xff) / 16.0, p[i + 2] & 7));
        return out;
    }

    private static Latest pick(String v) {
        if (v.equals("base")) return new BaseLatest();
        if (v.equals("small")) return new SmallLatest();
        if (v.equals("large")) return new LargeLatest();
        if (v.equals("harmless1")) return new Harmless1Latest();
        if (v.equals("harmless2")) return new Harmless2Latest();
        if (v.equals("better")) return new BetterLatest();
        throw new IllegalArgumentException(v);
    }
}

final class Sample {
    final int at;
    final double value;
    final int quality;

    Sample(int at, double value, int quality) {
        this.at = at;
        this.value = value;
        this.quality = quality;
    }
}

interface Latest {
    int KEEP = 24;

    void batch(int device, List<Sample> samples);

    double mean(int device);

    static double mean(List<Sample> l) {
        double s = 0;
        for (Sample x : l) s += x.value;
        return l.isEmpty() ? 0 : s / l.size();
    }
}
