package buto.launcher;

import java.util.regex.Pattern;

/** How the user of one build tool says things: the words that messages advise to type. */
public interface BuildTool {
    /** The environment variable that tells buto the name of this tool, for its own advice. */
    String DOOR = "BUTO_DOOR";

    /** The environment variable with the words that follow each advised command of this tool. */
    String DOOR_WORDS = "BUTO_DOOR_WORDS";

    /** Words that a shell reads as they are. */
    Pattern PLAIN = Pattern.compile("[\\w@%+=:,./-]+");

    /** Returns the name by which buto knows this tool. */
    String door();

    /** Returns what was typed for this build and must be typed again, quoted for a shell; begins with a space. */
    String words();

    /**
     * Returns what to type for a command of buto; buto itself advises the same.
     *
     * @param action {@code train} or {@code accept}
     * @param test its name; null for all tests
     */
    String command(String action, String test);

    /** Returns the setting that names the command {@code buto}. */
    String executable();

    /** Returns where tests are declared. */
    String tests();

    /** Returns a declared test. */
    String example();

    /** Returns a word as a shell takes it. */
    static String quoted(String word) {
        return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\"'\"'") + "'";
    }
}
