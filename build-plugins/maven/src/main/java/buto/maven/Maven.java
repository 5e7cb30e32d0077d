package buto.maven;

import buto.launcher.BuildTool;
import buto.launcher.Typed;
import java.io.File;
import java.util.Map;

/** The words of Maven. */
final class Maven implements BuildTool {
    /** Sets a property. */
    static final String OPTION = "-D";

    private final String program = BuildTool.program(new File(""), "mvn", "mvnw");
    private final String words;

    /**
     * @param module the module's artifact, as {@code -pl} takes it; null in a build of one module
     * @param typed properties; those of buto are typed again
     */
    Maven(String module, Map<String, String> typed) {
        words = (module == null ? "" : " -pl :" + module) + Typed.again(typed, OPTION);
    }

    @Override
    public String door() {
        return "maven";
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
        String one = test == null ? "" : " " + BuildTool.quoted("-Dbuto.test=" + test);
        return program + " package buto:" + action + one + words;
    }

    @Override
    public String executable() {
        return "<executable> or -Dbuto.executable=";
    }

    @Override
    public String tests() {
        return "<tests>";
    }

    @Override
    public String example() {
        return "<tests><test><name>NAME</name><mainClass>com.acme.Main</mainClass></test></tests>"
                + " in the plugin's <configuration>";
    }
}
