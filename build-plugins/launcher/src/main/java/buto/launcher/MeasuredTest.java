package buto.launcher;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/** A test as a build declares it: a name, and a program given by its main class, its jar, or any command. */
public class MeasuredTest {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]*");

    private String name;
    private String mainClass;
    private File jar;
    private List<String> command = Collections.emptyList();
    private List<String> arguments = Collections.emptyList();
    private List<String> jvmArguments = Collections.emptyList();
    private boolean testClasspath;

    /** Creates a test without settings. */
    public MeasuredTest() {}

    /** Copies a test, for build tools whose own objects hold more than these settings. */
    public MeasuredTest(MeasuredTest other) {
        name = other.name;
        mainClass = other.mainClass;
        jar = other.jar;
        command = other.command;
        arguments = other.arguments;
        jvmArguments = other.jvmArguments;
        testClasspath = other.testClasspath;
    }

    public String getName() {
        return name;
    }

    public void setName(String name) {
        this.name = name;
    }

    /** Main class, started with the class path of the module. */
    public String getMainClass() {
        return mainClass;
    }

    public void setMainClass(String mainClass) {
        this.mainClass = mainClass;
    }

    /**
     * Starts a jar by {@code java -jar}, for example the one that the build has packaged. Each build tool lets its users
     * name the file in its own way.
     */
    public final void startJar(File jar) {
        this.jar = jar;
    }

    /** The words of a command that starts a JVM. */
    public List<String> getCommand() {
        return command;
    }

    public void setCommand(List<String> command) {
        this.command = texts(command);
    }

    /** Arguments of the program. */
    public List<String> getArguments() {
        return arguments;
    }

    public void setArguments(List<String> arguments) {
        this.arguments = texts(arguments);
    }

    /** Options of the JVM. */
    public List<String> getJvmArguments() {
        return jvmArguments;
    }

    public void setJvmArguments(List<String> jvmArguments) {
        this.jvmArguments = texts(jvmArguments);
    }

    /** Whether the class path is that of the module's tests. */
    public boolean isTestClasspath() {
        return testClasspath;
    }

    public void setTestClasspath(boolean testClasspath) {
        this.testClasspath = testClasspath;
    }

    /**
     * Returns the command line that starts the program in the directory of the module. Paths below it are relative,
     * because the oracle contains the command, and other users have the module elsewhere.
     *
     * @param java the {@code java} command for a main class or a jar
     * @param classpath for a main class
     * @param directory of the module
     * @throws ButoException if the name cannot be a file name, or there is not exactly one program
     */
    public final List<String> commandLine(File java, Collection<File> classpath, File directory)
            throws ButoException {
        if (name == null || !NAME.matcher(name).matches()) {
            throw new ButoException(
                    "a test has the name '" + name + "'", "a name of letters, digits, '.', '_' and '-', like shop");
        }
        long given = Arrays.asList(mainClass, jar, command.isEmpty() ? null : command).stream()
                .filter(Objects::nonNull)
                .count();
        if (given != 1) {
            throw new ButoException(
                    "test '" + name + "' has " + (given == 0 ? "no program" : "more than one program"),
                    "give it exactly one of mainClass, jar and command");
        }
        List<String> words = new ArrayList<>(command);
        if (words.isEmpty()) {
            words.add(java.getPath());
            words.addAll(jvmArguments);
            words.addAll(mainClass != null ? Arrays.asList("-cp", joined(classpath, directory), mainClass)
                    : Arrays.asList("-jar", relative(jar, directory)));
        } else if (!jvmArguments.isEmpty()) {
            throw new ButoException(
                    "test '" + name + "' has a command and jvmArguments", "write the options into the command");
        }
        words.addAll(arguments);
        return words;
    }

    /** Converts words to text; Groovy, for example, has a class of its own for quotes with a variable. */
    private static List<String> texts(List<?> words) {
        List<String> texts = new ArrayList<>();
        words.forEach(word -> texts.add(word.toString()));
        return texts;
    }

    private static String joined(Collection<File> classpath, File directory) {
        List<String> paths = new ArrayList<>();
        classpath.forEach(entry -> paths.add(relative(entry, directory)));
        return String.join(File.pathSeparator, paths);
    }

    private static String relative(File file, File directory) {
        Path path = file.toPath();
        Path root = directory.toPath();
        return path.startsWith(root) && !path.equals(root) ? root.relativize(path).toString() : file.getPath();
    }
}
