import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;

/** Registers counters, and removes each of them again. */
final class MicrometerRemove {
    private static final int COUNTERS = 10_000;

    public static void main(String[] args) throws Exception {
        var registry = new SimpleMeterRegistry();
        List<Meter> counters = new ArrayList<>();
        for (int i = 0; i < COUNTERS; i++) {
            counters.add(registry.counter("orders", "customer", "c" + i));
        }
        for (Meter counter : counters) {
            registry.remove(counter);
        }
        Use.print(registry);
    }
}
