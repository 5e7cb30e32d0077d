package buto.store.order;

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
public class PricingBench {
    private final Pricing pricing = new Pricing();
    private int number;

    @Benchmark
    public long total() {
        number++;
        List<Line> lines = IntStream.rangeClosed(1, 5)
                .map(k -> 1 + (number * 613 + k * 127) % 1000)
                .mapToObj(id -> new Line(id, 1 + id % 12, 100 + (id * 7919) % 9900))
                .toList();
        return pricing.total(lines);
    }
}
