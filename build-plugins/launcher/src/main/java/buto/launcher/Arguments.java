package buto.launcher;

import java.util.ArrayList;
import java.util.List;

/** A command line of {@code buto}, put together word by word. */
public final class Arguments {
    private final List<String> words = new ArrayList<>();

    /** Of a command of buto's, as {@code check}. */
    public Arguments(String command) {
        words.add(command);
    }

    /** A word by itself, as the name of a test. */
    public Arguments word(String word) {
        words.add(word);
        return this;
    }

    /** An option with its value; nothing if there is none. */
    public Arguments option(String option, Object value) {
        if (value != null) {
            words.add(option);
            words.add(value.toString());
        }
        return this;
    }

    /** What was put together. */
    public List<String> toList() {
        return new ArrayList<>(words);
    }

    /** What was put together, and the command line of the program to measure. */
    public List<String> with(List<String> program) {
        List<String> all = toList();
        all.add("--");
        all.addAll(program);
        return all;
    }
}
