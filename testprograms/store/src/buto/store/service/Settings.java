package buto.store.service;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/** What a service is told when it is started, as words NAME=VALUE. */
public final class Settings {
    private final Map<String, String> values;

    private Settings(Map<String, String> values) {
        this.values = values;
    }

    /** Parses the arguments of a service. */
    public static Settings of(String... arguments) {
        return new Settings(Arrays.stream(arguments)
                .map(word -> word.split("=", 2))
                .peek(Settings::check)
                .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1])));
    }

    private static void check(String... pair) {
        if (pair.length != 2) {
            throw new IllegalArgumentException("an argument must be NAME=VALUE, got " + pair[0]);
        }
    }

    /** Returns a value that must be there. */
    public String text(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("the argument " + name + "=VALUE is missing");
        }
        return value;
    }

    /** Returns a value that may be missing. */
    public String text(String name, String otherwise) {
        return values.getOrDefault(name, otherwise);
    }

    /** Returns a number that must be there. */
    public int number(String name) {
        return Integer.parseInt(text(name));
    }
}
