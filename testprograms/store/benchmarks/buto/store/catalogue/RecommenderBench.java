package buto.store.catalogue;

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
public class RecommenderBench {
    private final Recommender recommender = new Recommender(1000);
    private int customer;

    @Benchmark
    public int[] rank() {
        customer++;
        int[] viewed = IntStream.rangeClosed(1, 6 + customer % 11).map(k -> 1 + (customer * 613 + k * 127) % 1000).toArray();
        return recommender.rank(viewed, 8);
    }
}
