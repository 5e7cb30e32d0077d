package buto.gradle;

import buto.launcher.BuildTool;

/** The words of Gradle. */
final class Gradle implements BuildTool {
    private final String program;
    private final String words;

    /**
     * @param program what starts Gradle, as {@code gradle} or {@code ./gradlew}
     * @param words that were typed for this build, to be typed again
     */
    Gradle(String program, String words) {
        this.program = program;
        this.words = words;
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
