/** Smooths a trace in several bands and finds the greatest ratio of short to long averages. */
final class Bands {
    private static final int BANDS = 8;

    private Bands() { }

    static double ratio(int[] samples) {
        double best = 0;
        for (int band = 1; band <= BANDS; band++) {
            double[] smooth = smooth(samples, 1.0 / (1 + band));
            double shortTime = 0;
            double longTime = 1;
            for (double s : smooth) {
                shortTime += (Math.abs(s) - shortTime) / 8;
                longTime += (Math.abs(s) - longTime) / 64;
                best = Math.max(best, shortTime / longTime);
            }
        }
        return best;
    }

    private static double[] smooth(int[] samples, double a) {
        double[] out = new double[samples.length];
        double level = 0;
        for (int i = 0; i < samples.length; i++) {
            level += a * (samples[i] - level);
            out[i] = level;
        }
        return out;
    }
}
