package buto.store.catalogue;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("component")
class RecommenderTest {
    private static final Recommender RECOMMENDER = new Recommender(1000);
    private static final int WARM_UP = 40;
    private static final int TIMES = 60;

    @BeforeAll
    static void warmUp() {
        rank(WARM_UP);
    }

    @Test
    void rank() {
        assertEquals(TIMES * 8, rank(TIMES));
    }

    private static long rank(int times) {
        long different = 0;
        for (int time = 0; time < times; time++) {
            int[] best = RECOMMENDER.rank(new int[] {1 + time, 50, 100, 150, 200, 250, 300, 350, 400, 450, 500}, 8);
            different += Arrays.stream(best).distinct().count();
        }
        return different;
    }
}
