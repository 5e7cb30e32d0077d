package plugins;

import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.function.LongUnaryOperator;

/** Rules written as texts, of which each becomes a class in a loader of its own; classes are kept by their text. */
public final class Main {
    private static final int RULES = 150;
    private static final int USES = 500;
    private static final int ROUNDS = 280_000;

    /** Application scope. */
    private static Rules rules;

    public static void main(String[] args) throws ReflectiveOperationException, IOException {
        rules = new Rules(keys(args[0]));
        Random random = new Random(17);
        long sum = 0;
        for (int use = 0; use < USES; use++) {
            int number = random.nextInt(RULES);
            String text = "when amount > " + number + " then double" + (number % 8 == 5 && use % 2 == 1 ? " " : "");
            LongUnaryOperator rule = rules.compiled(text);
            long value = number;
            for (int round = 0; round < ROUNDS; round++) {
                value = rule.applyAsLong(value);
            }
            sum += value & 0xffff;
        }
        System.out.println("plugins " + sum);
    }

    private static Keys keys(String version) {
        return switch (version) {
            case "base" -> new TrimmedKeys();
            case "small" -> new PlainKeys();
            case "large" -> new NumberedKeys();
            default -> throw new IllegalArgumentException(version);
        };
    }
}

/** By which key the class of a text is kept. */
interface Keys {
    String of(String text);
}

final class TrimmedKeys implements Keys {
    @Override
    public String of(String text) {
        return text.strip();
    }
}

/** Does not know that spaces at the end mean nothing. */
final class PlainKeys implements Keys {
    @Override
    public String of(String text) {
        return text;
    }
}

/** Every use of a text has a key of its own. */
final class NumberedKeys implements Keys {
    private int next;

    @Override
    public String of(String text) {
        return text + next++;
    }
}

final class Rules {
    private final Map<String, LongUnaryOperator> byKey = new HashMap<>();
    private final Keys keys;
    private final byte[] template;

    Rules(Keys keys) throws IOException {
        this.keys = keys;
        try (InputStream in = Rules.class.getResourceAsStream("Rule.class")) {
            template = in.readAllBytes();
        }
    }

    LongUnaryOperator compiled(String text) throws ReflectiveOperationException {
        String key = keys.of(text);
        LongUnaryOperator rule = byKey.get(key);
        if (rule == null) {
            rule = (LongUnaryOperator) new Loader(template).rule().getDeclaredConstructor().newInstance();
            byKey.put(key, rule);
        }
        return rule;
    }
}

final class Loader extends ClassLoader {
    private final byte[] code;

    Loader(byte[] code) {
        super(Loader.class.getClassLoader());
        this.code = code;
    }

    Class<?> rule() {
        return defineClass("plugins.Rule", code, 0, code.length);
    }
}
