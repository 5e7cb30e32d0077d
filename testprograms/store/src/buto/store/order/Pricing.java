package buto.store.order;

import buto.store.service.Slowdown;
import buto.store.tracing.Span;
import buto.store.tracing.Tracer;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;

/** Prices an order by rules for large numbers of pieces and expensive lines. */
public final class Pricing {
    private static final int RULES = 60;

    private record Rule(int pieces, BigDecimal price, BigDecimal factor) {}

    private final Slowdown slowdown = Slowdown.of("Pricing.total");
    private final List<Rule> rules = java.util.stream.IntStream.rangeClosed(1, RULES)
            .mapToObj(number -> new Rule(1 + number % 7, BigDecimal.valueOf(50L * number, 2), BigDecimal.valueOf(9990 + number % 10, 4)))
            .toList();

    /** Returns what the lines cost together, in cents. */
    public long total(List<Line> lines) {
        try (Span span = Tracer.component("Pricing.total")) {
            return slowdown.around(() -> lines.stream().mapToLong(this::price).sum());
        }
    }

    private long price(Line line) {
        BigDecimal price = BigDecimal.valueOf((long) line.cents() * line.pieces(), 2);
        for (Rule rule : rules) {
            if (line.pieces() >= rule.pieces() && price.compareTo(rule.price()) > 0) {
                price = price.multiply(rule.factor()).setScale(4, RoundingMode.HALF_UP);
            }
        }
        return price.movePointRight(2).setScale(0, RoundingMode.HALF_UP).longValueExact();
    }
}
