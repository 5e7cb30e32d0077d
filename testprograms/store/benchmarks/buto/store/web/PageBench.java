package buto.store.web;

import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
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
public class PageBench {
    private final Page page = new Page();
    private final String lines = IntStream.rangeClosed(1, 8)
            .mapToObj(id -> id + ";Product " + id + ";" + 700 * id)
            .collect(Collectors.joining("\n"));

    @Benchmark
    public String render() {
        return page.render("Recommended", lines);
    }
}
