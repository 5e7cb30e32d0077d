package buto.gradle;

import buto.launcher.BuildTool;
import java.io.File;

/** The words of Gradle. */
final class Gradle implements BuildTool {
    private final String program;
    private final String words;
    private final File place;

    /**
     * @param program what starts Gradle, as {@code gradle} or {@code ./gradlew}
     * @param words that were typed for this build, to be typed again
     * @param place where they were typed
     */
    Gradle(String program, String words, File place) {
        this.program = program;
        this.words = words;
        this.place = place;
    }

    @Override
    public String door() {
        return "gradle";
    }

    @Override
    public String program() {
        return program;
    }

    @Override
    public String words() {
        return words;
    }

    @Override
    public File place() {
        return place;
    }

    @Override
    public String command(String action, String test) {
        String one = test == null ? "" : " " + BuildTool.quoted("-Pbuto.test=" + test);
        return program + " buto" + Character.toUpperCase(action.charAt(0)) + action.substring(1) + one + words;
    }

    @Override
    public String executable() {
        return "buto { executable = '...' } or -Pbuto.executable=";
    }

    @Override
    public String tests() {
        return "buto { tests { ... } }";
    }

    @Override
    public String example() {
        return "buto { tests { NAME { mainClass = 'com.acme.Main' } } }";
    }
}
