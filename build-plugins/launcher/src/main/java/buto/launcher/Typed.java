package buto.launcher;

import java.io.File;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The settings that a user types for one build, each as {@code buto.NAME}: they replace what the build says. */
public final class Typed {
    /** Precedes the name of each setting. */
    public static final String PREFIX = "buto.";

    /** Settings of one build: they are not typed again for the next. */
    private static final List<String> PASSING = Arrays.asList("runs", "checkRuns", "pairs", "profile");

    private static final Map<String, Taker> TAKERS = new TreeMap<>();

    static {
        TAKERS.put("executable", (settings, value) -> settings.setExecutable(value.command()));
        TAKERS.put("java", (settings, value) -> settings.setJava(value.file()));
        TAKERS.put("oracles", (settings, value) -> settings.setOracles(value.file()));
        TAKERS.put("store", (settings, value) -> settings.setStore(value.file()));
        TAKERS.put("reports", (settings, value) -> settings.setReports(value.file()));
        TAKERS.put("runs", (settings, value) -> settings.setRuns(value.number()));
        TAKERS.put("checkRuns", (settings, value) -> settings.setCheckRuns(value.number()));
        TAKERS.put("pairs", (settings, value) -> settings.setPairs(value.number()));
        TAKERS.put("profile", (settings, value) -> settings.setProfile(isOn(value.name, value.text)));
        TAKERS.put("alpha", (settings, value) -> settings.setAlpha(value.text));
    }

    private interface Taker {
        void take(Settings settings, Value value) throws ButoException;
    }

    private Typed() {}

    /**
     * Sets what was typed.
     *
     * @param typed from the name of a setting to its text; null if it was not typed
     * @param files from a path as users write it to the file
     * @throws ButoException if a text is no value of its setting
     */
    public static void apply(Settings settings, Function<String, String> typed, Function<Object, File> files)
            throws ButoException {
        for (Map.Entry<String, Taker> setting : TAKERS.entrySet()) {
            String text = typed.apply(setting.getKey());
            if (text != null) {
                setting.getValue().take(settings, new Value(setting.getKey(), text, files));
            }
        }
    }

    /**
     * Refuses names that nobody reads: a setting that does nothing looks like one that is obeyed.
     *
     * @param typed names of properties, of whatever program
     * @param others settings that the build tool has beside those of all builds
     * @param option of the build tool, as {@code -D}
     */
    public static void refuseUnknown(Collection<String> typed, List<String> others, String option)
            throws ButoException {
        TreeSet<String> known = new TreeSet<>(TAKERS.keySet());
        known.addAll(others);
        for (String name : typed) {
            if (name.startsWith(PREFIX) && !known.contains(name.substring(PREFIX.length()))) {
                throw new ButoException(
                        option + name + " is no setting of buto",
                        known.stream().map(own -> option + PREFIX + own).collect(Collectors.joining(", ")));
            }
        }
    }

    /**
     * Returns what must be typed for the next build, too, quoted for a shell; begins with a space.
     *
     * @param typed properties of whatever program, by their names
     * @param option of the build tool, as {@code -D}
     */
    public static String again(Map<String, String> typed, String option) {
        return TAKERS.keySet().stream()
                .filter(name -> !PASSING.contains(name) && typed.containsKey(PREFIX + name))
                .map(name -> " " + BuildTool.quoted(option + PREFIX + name + "=" + typed.get(PREFIX + name)))
                .collect(Collectors.joining());
    }

    /** Returns whether a switch is on, as it is without a value, too. */
    public static boolean isOn(String name, String text) throws ButoException {
        if (!text.isEmpty() && !text.equals("true") && !text.equals("false")) {
            throw new ButoException(
                    PREFIX + name + " must be true or false, got '" + text + "'", PREFIX + name + "=true");
        }
        return !text.equals("false");
    }

    private static final class Value {
        private final String name;
        private final String text;
        private final Function<Object, File> files;

        private Value(String name, String text, Function<Object, File> files) {
            this.name = name;
            this.text = text;
            this.files = files;
        }

        private File file() {
            return files.apply(text);
        }

        private File command() {
            return Executable.locate(text, files);
        }

        private Integer number() throws ButoException {
            try {
                return Integer.valueOf(text);
            } catch (NumberFormatException other) {
                throw new ButoException(
                        PREFIX + name + " must be a whole number, got '" + text + "'", PREFIX + name + "=10");
            }
        }
    }
}
