package buto.store.catalogue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class SearchBench {
    private static final String[] WORDS = {"stone", "river", "cloud", "paper", "glas", "coper", "linen", "ambr"};

    private final Search search = new Search(IntStream.rangeClosed(1, 1000).mapToObj(SearchBench::product).toList());
    private int number;

    @Benchmark
    public List<Product> find() {
        return search.find(WORDS[number++ % WORDS.length]);
    }

    private static Product product(int id) {
        String all = String.join(" ", WORDS);
        StringBuilder text = new StringBuilder();
        for (int k = 1; k <= 12; k++) {
            int start = (id * 31 + k * 17) % (all.length() - 6);
            text.append(all, start, start + 6).append(' ');
        }
        return new Product(id, "Product " + id, 100, text.toString());
    }
}
