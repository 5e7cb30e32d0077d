package plugins;

import java.util.function.LongUnaryOperator;

/** What each rule is compiled to. */
public final class Rule implements LongUnaryOperator {
    public Rule() {}

    @Override
    public long applyAsLong(long value) {
        return value > 1_000_000_007L ? value % 1_000_003L : value * 2 + 1;
    }
}
