package buto.junit;

import buto.launcher.BuildTool;
import java.io.File;
import java.lang.reflect.Method;
import java.util.Locale;
import java.util.stream.Stream;

/** The words of JUnit: how this scenario alone is run again, by Maven or by Gradle. */
final class Rerun implements BuildTool {
    private final boolean maven = new File("pom.xml").isFile();
    private final String program =
            maven ? BuildTool.program(typedIn(), "mvn", "mvnw") : BuildTool.program(typedIn(), "gradle", "gradlew");
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

    /** Maven is told the module, if it was started above it; Gradle runs a test of that name wherever it is. */
    @Override
    public String words() {
        String module = typedIn().toPath().relativize(new File("").getAbsoluteFile().toPath()).toString();
        return maven && !module.isEmpty() ? " -pl " + BuildTool.quoted(module) : "";
    }

    /** Gradle passes no system properties to the JVM of the tests, but its environment. */
    @Override
    public String command(String action, String test) {
        return maven
                ? program + " test -Dbuto." + action + "=true " + BuildTool.quoted("-Dtest=" + scenario) + words()
                : "env BUTO_" + action.toUpperCase(Locale.ROOT) + "=true " + program
                        + " cleanTest test --tests " + BuildTool.quoted(scenario);
    }

    /** Returns the directory in which the build was started, or else the module's, where its tests run. */
    private static File typedIn() {
        File here = new File("").getAbsoluteFile();
        String shell = System.getenv("PWD");
        File there = shell == null ? here : new File(shell);
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
