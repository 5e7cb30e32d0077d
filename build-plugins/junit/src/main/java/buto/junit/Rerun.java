package buto.junit;

import buto.launcher.BuildTool;
import java.io.File;
import java.lang.reflect.Method;
import java.util.Locale;

/** The words of JUnit: how this scenario alone is run again, by Maven or by Gradle. */
final class Rerun implements BuildTool {
    private final boolean maven = new File("pom.xml").isFile();
    private final String scenario;

    Rerun(Class<?> testClass, Method method) {
        scenario = testClass.getName() + (maven ? "#" : ".") + method.getName();
    }

    @Override
    public String door() {
        return maven ? "junit-maven" : "junit-gradle";
    }

    @Override
    public String words() {
        return "";
    }

    /** Gradle passes no system properties to the JVM of the tests, but its environment. */
    @Override
    public String command(String action, String test) {
        return maven
                ? "mvn test -Dbuto." + action + "=true " + BuildTool.quoted("-Dtest=" + scenario)
                : "env BUTO_" + action.toUpperCase(Locale.ROOT) + "=true gradle cleanTest test --tests "
                        + BuildTool.quoted(scenario);
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
