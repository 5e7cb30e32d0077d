package buto.store.catalogue;

import buto.store.service.Slowdown;
import buto.store.tracing.Span;
import buto.store.tracing.Tracer;
import java.util.Random;
import java.util.stream.IntStream;

/** Ranks products by how much they are like those that a customer looked at. */
public final class Recommender {
    private static final int FEATURES = 256;
    private static final long SEED = 4;

    private final Slowdown slowdown = Slowdown.of("Recommender.rank");
    private final double[][] features;

    /**
     * @param products how many there are; their ids begin with 1
     */
    public Recommender(int products) {
        Random random = new Random(SEED);
        features = IntStream.rangeClosed(0, products)
                .mapToObj(id -> random.doubles(FEATURES, -1, 1).toArray())
                .toArray(double[][]::new);
    }

    /** Returns the ids of the products that are most alike, the best first. */
    public int[] rank(int[] viewed, int count) {
        try (Span span = Tracer.component("Recommender.rank")) {
            return slowdown.around(() -> best(viewed, count));
        }
    }

    private int[] best(int[] viewed, int count) {
        int[] ids = new int[count];
        double[] scores = new double[count];
        for (int id = 1; id < features.length; id++) {
            double score = score(features[id], viewed);
            int place = count;
            while (place > 0 && scores[place - 1] < score) {
                place--;
            }
            if (place < count) {
                System.arraycopy(scores, place, scores, place + 1, count - place - 1);
                System.arraycopy(ids, place, ids, place + 1, count - place - 1);
                scores[place] = score;
                ids[place] = id;
            }
        }
        return ids;
    }

    private double score(double[] candidate, int... viewed) {
        double score = 0;
        for (int id : viewed) {
            double[] other = features[id];
            double product = 0;
            double length = 0;
            for (int feature = 0; feature < FEATURES; feature++) {
                product += candidate[feature] * other[feature];
                length += other[feature] * other[feature];
            }
            score += product / Math.sqrt(length);
        }
        return score;
    }
}
