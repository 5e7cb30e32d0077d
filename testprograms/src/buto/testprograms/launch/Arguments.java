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
        return add(name, new Option("duration", 1, fallback, text));
    }

    /** Adds a time that may be {@code 0ms}. */
    public Arguments pause(String name, String fallback, String text) {
        return add(name, new Option("duration", 0, fallback, text));
    }

    /** Adds a number of bytes, as {@code 800}, {@code 64k} or {@code 1m}. */
    public Arguments size(String name, String fallback, String text) {
        return add(name, new Option("size", 1, fallback, text));
    }

    /** Adds a number of things, at least 1. */
    public Arguments count(String name, int fallback, String text) {
        return add(name, new Option("number", 1, Integer.toString(fallback), text));
    }

    /** Adds a number that may be 0. */
    public Arguments number(String name, int fallback, String text) {
        return add(name, new Option("number", 0, Integer.toString(fallback), text));
    }

    /** Adds a choice of names, of which the first is the default. */
    public Arguments choice(String name, String text, String... choices) {
        return add(name, new Option(String.join("|", choices), 0, choices[0], text, choices));
    }

    private Arguments add(String name, Option option) {
        option.set(option.fallback);
        options.put(name, option);
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
        Option option = argument.startsWith("--") ? options.get(argument.substring(2)) : null;
        if (option == null) {
            throw new IllegalArgumentException("unknown argument: " + argument);
        }
        if (!option.set(value)) {
            throw new IllegalArgumentException(argument + ": not a " + option.kind + ": '" + value + "'");
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

    /** A size in bytes, a count or number as it is; all of them fit. */
    public int integer(String name) {
        return (int) options.get(name).number;
    }

    /** The name that was chosen. */
    public String chosen(String name) {
        return options.get(name).name;
    }

    private static final class Option {
        final String kind;
        final long least;
        final String fallback;
        final String text;
        final List<String> choices;
        long number;
        String name;

        Option(String kind, long least, String fallback, String text, String... choices) {
            this.kind = kind;
            this.least = least;
            this.fallback = fallback;
            this.text = text;
            this.choices = Arrays.asList(choices);
        }

        /** Takes its value; returns false if the text is not of this kind. */
        boolean set(String value) {
            name = value;
            if (!choices.isEmpty()) {
                return choices.contains(value);
            }
            Matcher match = QUANTITY.matcher(value);
            long unit = match.matches() ? unit(match.group(2)) : 0;
            number = unit == 0 ? -1 : Long.parseLong(match.group(1)) * unit;
            return number >= least && (kind.equals("duration") || number <= Integer.MAX_VALUE);
        }

        /** Nanoseconds, bytes or things in one of a unit; 0 when this kind has no such unit. */
        private long unit(String symbol) {
            switch (kind + " " + symbol) {
                case "duration s":
                    return 1_000_000_000;
                case "duration ms":
                    return 1_000_000;
                case "size m":
                    return 1 << 20;
                case "size k":
                    return 1 << 10;
                case "size ":
                case "number ":
                    return 1;
                default:
                    return 0;
            }
        }
    }
}
