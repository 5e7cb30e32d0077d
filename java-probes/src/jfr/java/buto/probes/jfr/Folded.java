package buto.probes.jfr;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** Sums of events with the same kind, stack and details. */
final class Folded {
    /** Events of further stacks are only counted: a hostile recording must not fill the memory. */
    private static final int MOST_STACKS = 100_000;

    /** What events have in common. */
    static final class Key {
        final String kind;
        final Frames.Stack stack;
        /** The class that was allocated, thrown or locked; may be empty. */
        final String type;
        /** The user's field that keeps the object, and the path from a root to it; may be empty. */
        final String holder;
        final String path;
        private final int hash;

        Key(String kind, Frames.Stack stack, String type, String holder, String path) {
            this.kind = kind;
            this.stack = stack;
            this.type = type;
            this.holder = holder;
            this.path = path;
            this.hash = Objects.hash(kind, type, holder, stack.line) * 31 + Arrays.hashCode(stack.methods);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(Object other) {
            if (!(other instanceof Key)) {
                return false;
            }
            Key key = (Key) other;
            return hash == key.hash && stack.line == key.stack.line && kind.equals(key.kind) && type.equals(key.type)
                    && holder.equals(key.holder) && path.isEmpty() == key.path.isEmpty() && Arrays.equals(stack.methods, key.stack.methods);
        }
    }

    private static final class Sum {
        double weight;
        double squares;
        long events;
    }

    private final Map<Key, Sum> sums = new HashMap<>();
    long cut;

    void add(Key key, double weight) {
        Sum sum = sums.get(key);
        if (sum == null) {
            if (sums.size() >= MOST_STACKS) {
                cut++;
                return;
            }
            sum = new Sum();
            sums.put(key, sum);
        }
        sum.weight += weight;
        sum.squares += weight * weight;
        sum.events++;
    }

    void print(PrintWriter out) {
        for (Map.Entry<Key, Sum> one : sums.entrySet()) {
            Key key = one.getKey();
            Sum sum = one.getValue();
            StringBuilder line = new StringBuilder("stack\t").append(key.kind).append('\t').append(sum.weight)
                    .append('\t').append(sum.squares).append('\t').append(sum.events).append('\t').append(key.stack.line)
                    .append('\t').append(Names.plain(key.type)).append('\t').append(Names.plain(key.holder))
                    .append('\t').append(Names.plain(key.path)).append('\t');
            for (int at = 0; at < key.stack.methods.length; at++) {
                line.append(at == 0 ? "" : " ").append(key.stack.methods[at]);
            }
            out.print(line.append('\n'));
        }
    }
}
