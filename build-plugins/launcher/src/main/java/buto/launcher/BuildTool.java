package buto.launcher;

import java.io.File;
import java.util.regex.Pattern;

/** How the user of one build tool says things: the words that messages advise to type. */
public interface BuildTool {
    /** The environment variable that tells buto the name of this tool, for its own advice. */
    String DOOR = "BUTO_DOOR";

    /** The environment variable with the words that follow each advised command of this tool. */
    String DOOR_WORDS = "BUTO_DOOR_WORDS";

    /** The environment variable with what starts this tool: its name, or the path of the project's wrapper. */
    String DOOR_PROGRAM = "BUTO_DOOR_PROGRAM";

    /** The environment variable with what precedes an action in the name of this tool's goal; empty for the usual name. */
    String DOOR_GOALS = "BUTO_DOOR_GOALS";

    /** The environment variable with the directory in which advised commands are typed. */
    String DOOR_PLACE = "BUTO_DOOR_PLACE";

    /** The environment variable that is {@link #HELD} where buto's standard input is open as long as the build lives. */
    String DOOR_INPUT = "BUTO_DOOR_INPUT";

    /** Has buto end at the end of its input, as after SIGKILL of the build, of which nothing else tells. */
    String HELD = "held";

    /** Words that a shell reads as they are. */
    Pattern PLAIN = Pattern.compile("[\\w@%+=:,./-]+");

    /** Returns the name by which buto knows this tool. */
    String door();

    /** Returns what starts this tool, as {@code mvn} or {@code ./mvnw}, quoted for a shell. */
    String program();

    /** Returns what was typed for this build and must be typed again, quoted for a shell; begins with a space. */
    String words();

    /** Returns the directory in which the user started this tool, and types what is advised. */
    File place();

    /** Returns what precedes an action in the name of a goal, with a colon between them; empty for the usual name. */
    default String goals() {
        return "";
    }

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

    /**
     * Returns what a user types to start a tool: the wrapper in this directory or the nearest one above, else its name.
     *
     * @param directory where the user types it
     */
    static String program(File directory, String name, String wrapper) {
        String path = "./";
        for (File above = directory.getAbsoluteFile(); above != null; above = above.getParentFile()) {
            if (new File(above, wrapper).isFile()) {
                return path + wrapper;
            }
            path = path.equals("./") ? "../" : path + "../";
        }
        return name;
    }

    /** Returns a word as a shell takes it. */
    static String quoted(String word) {
        return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\"'\"'") + "'";
    }
}
