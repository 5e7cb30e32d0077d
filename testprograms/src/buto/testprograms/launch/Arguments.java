package buto.testprograms.launch;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Named arguments ({@code --rate 500}), each with a default; anything else ends the program with a usage text. */
public final class Arguments {
    /** Exit code for arguments that cannot be understood. */
    public static final int USAGE = 2;

    private static final Pattern QUANTITY = Pattern.compile("(\\d{1,9})([a-z]*)");

    private static final class Option {
        final String kind;
        final String text;
        final String fallback;
        final List<String> choices;
        long number;
        String name;

        Option(String kind, String fallback, String text, String... choices) {
            this.kind = kind;
            this.text = text;
            this.fallback = fallback;
            this.choices = Arrays.asList(choices);
            set(fallback);
        }

        /** Takes a value from its text; IllegalArgumentException when it is none of this kind. */
        void set(String value) {
            boolean understood;
            if (choices.isEmpty()) {
                number = quantity(kind, value);
                understood = number >= (kind.equals("number") ? 0 : 1)
                    && (kind.equals("duration") || number <= Integer.MAX_VALUE);
            } else {
                name = value;
                understood = choices.contains(value);
            }
            if (!understood) {
                throw new IllegalArgumentException("not a " + kind + ": " + value);
            }
        }
    }

    private final Map<String, Option> options = new LinkedHashMap<>();
    private final String program;

    /** Starts with {@code --duration} and {@code --seed}, which every program has. */
    public Arguments(Class<?> program) {
        this.program = program.getName();
        duration("duration", "5s", "how long the program runs");
        number("seed", 1, "start of the pseudo-random choices");
    }

    /** Adds a time, as {@code 5s} or {@code 100ms}. */
    public Arguments duration(String name, String fallback, String text) {
        options.put(name, new Option("duration", fallback, text));
        return this;
    }

    /** Adds a number of bytes, as {@code 800}, {@code 64k} or {@code 1m}. */
    public Arguments size(String name, String fallback, String text) {
        options.put(name, new Option("size", fallback, text));
        return this;
    }

    /** Adds a number of things, at least 1. */
    public Arguments count(String name, int fallback, String text) {
        options.put(name, new Option("count", Integer.toString(fallback), text));
        return this;
    }

    /** Adds a number that may be 0. */
    public Arguments number(String name, int fallback, String text) {
        options.put(name, new Option("number", Integer.toString(fallback), text));
        return this;
    }

    /** Adds a choice of names, of which the first is the default. */
    public Arguments choice(String name, String text, String... choices) {
        options.put(name, new Option(String.join("|", choices), choices[0], text, choices));
        return this;
    }

    /** Reads the command line. Wrong arguments end the JVM with exit code 2, {@code --help} with 0. */
    public Arguments parse(String[] line) {
        if (line.length == 1 && line[0].equals("--help")) {
            System.out.print(usage());
            System.exit(0);
        }
        try {
            for (int index = 0; index < line.length; index += 2) {
                read(line[index], index + 1 < line.length ? line[index + 1] : "");
            }
        } catch (IllegalArgumentException wrong) {
            System.err.println(wrong.getMessage());
            System.err.print(usage());
            System.exit(USAGE);
        }
        return this;
    }

    private void read(String argument, String value) {
        Option option = options.get(argument.startsWith("--") ? argument.substring(2) : "");
        if (option == null) {
            throw new IllegalArgumentException("unknown argument: " + argument);
        }
        try {
            option.set(value);
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(argument + ": " + wrong.getMessage());
        }
    }

    /** A text in nanoseconds, bytes or things; -1 when it is no quantity of this kind. */
    private static long quantity(String kind, String text) {
        Matcher match = QUANTITY.matcher(text);
        if (!match.matches()) {
            return -1;
        }
        long number = Long.parseLong(match.group(1));
        switch (kind + " " + match.group(2)) {
            case "duration s":
                return number * 1_000_000_000L;
            case "duration ms":
                return number * 1_000_000L;
            case "size m":
                return number << 20;
            case "size k":
                return number << 10;
            case "size ":
            case "count ":
            case "number ":
                return number;
            default:
                return -1;
        }
    }

    private String usage() {
        StringBuilder usage = new StringBuilder("usage: java " + program + " [--NAME VALUE]...\n");
        for (Map.Entry<String, Option> entry : options.entrySet()) {
            Option option = entry.getValue();
            usage.append(String.format("  --%-12s %s (%s, default %s)\n",
                entry.getKey(), option.text, option.kind, option.fallback));
        }
        return usage.toString();
    }

    /** A duration in nanoseconds. */
    public long nanos(String name) {
        return options.get(name).number;
    }

    /** A size, count or number; all of them were read as ints. */
    public int integer(String name) {
        return (int) options.get(name).number;
    }

    /** The name that was chosen. */
    public String chosen(String name) {
        return options.get(name).name;
    }
}
