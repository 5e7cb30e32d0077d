package buto.maven;

import buto.launcher.BuildTool;
import java.io.File;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.stream.Collectors;

/** The words of Maven. */
final class Maven implements BuildTool {
    private static final List<String> OF_ONE_BUILD = Arrays.asList(
            "buto.test",
            "buto.runs",
            "buto.checkRuns",
            "buto.pairs",
            "buto.profile",
            "buto.skip",
            "buto.failOnRegression");

    private final String program = BuildTool.program(new File(""), "mvn", "mvnw");
    private final String words;

    /**
     * @param module the module's artifact, as {@code -pl} takes it; null in a build of one module
     * @param properties that were typed; those of buto are typed again
     */
    Maven(String module, Properties properties) {
        words = (module == null ? "" : " -pl :" + module)
                + properties.stringPropertyNames().stream()
                        .filter(name -> name.startsWith("buto.") && !OF_ONE_BUILD.contains(name))
                        .sorted()
                        .map(name -> " " + BuildTool.quoted("-D" + name + "=" + properties.getProperty(name)))
                        .collect(Collectors.joining());
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
