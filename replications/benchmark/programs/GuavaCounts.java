import com.google.common.base.Splitter;
import com.google.common.collect.HashMultiset;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.List;

/** Counts the words of texts and keeps the counts of each. */
final class GuavaCounts {
    private static final int TEXTS = 2_000;

    public static void main(String[] args) throws Exception {
        String text = "the cat sat on the mat, and the dog sat beside the cat; ".repeat(50);
        Splitter words = Splitter.onPattern("\\W+").omitEmptyStrings();
        List<ImmutableMap<String, Integer>> kept = new ArrayList<>();
        for (int i = 0; i < TEXTS; i++) {
            var counts = HashMultiset.create(words.split(text));
            var map = ImmutableMap.<String, Integer>builder();
            counts.entrySet().forEach(entry -> map.put(entry.getElement(), entry.getCount()));
            kept.add(map.build());
        }
        Use.print(kept);
    }
}
