package buto.launcher;

import java.util.ArrayList;
import java.util.List;

/** Builds a command line of {@code buto}. */
public final class Arguments {
    private final List<String> words = new ArrayList<>();

    /** Begins with a command, for example {@code check}. */
    public Arguments(String command) {
        words.add(command);
    }

    /** Adds a single word, for example the name of a test. */
    public Arguments word(String word) {
        words.add(word);
        return this;
    }

    /** Adds an option with its value; nothing if the value is null. */
    public Arguments option(String option, Object value) {
        if (value != null) {
            words.add(option);
            words.add(value.toString());
        }
        return this;
    }

    /** Returns the words. */
    public List<String> toList() {
        return new ArrayList<>(words);
    }

    /** Returns the words and the command line of the program to measure. */
    public List<String> with(List<String> program) {
        List<String> all = toList();
        all.add("--");
        all.addAll(program);
        return all;
    }
}
