package buto.junit;

import buto.launcher.BuildTool;
import java.io.File;
import java.lang.reflect.Method;
import java.util.Locale;
import java.util.stream.Stream;

/** The words of JUnit: how this scenario alone is run again, by Maven or by Gradle, typed where this build was typed. */
final class Rerun implements BuildTool {
    private final boolean maven = new File("pom.xml").isFile();
    private final File here = new File("").getAbsoluteFile();
    private final File typedIn = typedIn();
    private final String program =
            maven ? BuildTool.program(typedIn, "mvn", "mvnw") : BuildTool.program(typedIn, "gradle", "gradlew");
    private final String scenario;

    Rerun(Class<?> testClass, Method method) {
        scenario = testClass.getName() + (maven ? "#" : ".") + method.getName();
    }

    @Override
    public String door() {
        return maven ? "junit-maven" : "junit-gradle";
    }

    @Override
    public String program() {
        return program;
    }

    /**
     * Names the module, if the build was started above it. Maven builds what it needs, too, which has no such test: the
     * local repository may have that as it was before.
     */
    @Override
    public String words() {
        String module = typedIn.toPath().relativize(here.toPath()).toString();
        if (module.isEmpty()) {
            return "";
        }
        return maven
                ? " -pl " + BuildTool.quoted(module) + " -am -Dsurefire.failIfNoSpecifiedTests=false"
                : " " + BuildTool.quoted("--project-dir=" + module);
    }

    @Override
    public File place() {
        return typedIn;
    }

    /** Gradle passes no system properties to the JVM of the tests, but its environment. */
    @Override
    public String command(String action, String test) {
        return maven
                ? program + " test -Dbuto." + action + "=true " + BuildTool.quoted("-Dtest=" + scenario) + words()
                : "env BUTO_" + action.toUpperCase(Locale.ROOT) + "=true " + program
                        + " cleanTest test --tests " + BuildTool.quoted(scenario) + words();
    }

    /** Returns the directory in which the build was started, or else the module's, where its tests run. */
    private File typedIn() {
        // Surefire starts a JVM by a shell, whose own directory PWD is then; Gradle's has the variables of its user.
        String said = maven ? Ancestors.directory() : System.getenv("PWD");
        File there = said == null ? here : new File(said);
        return here.toPath().startsWith(there.toPath()) && isBuild(there) ? there : here;
    }

    private static boolean isBuild(File directory) {
        return Stream.of("pom.xml", "settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts")
                .anyMatch(name -> new File(directory, name).isFile());
    }

    @Override
    public String executable() {
        return "-Dbuto.executable= or BUTO_EXECUTABLE";
    }

    @Override
    public String tests() {
        return "@ButoTest";
    }

    @Override
    public String example() {
        return "@ButoTest void scenario() { ... }";
    }
}
