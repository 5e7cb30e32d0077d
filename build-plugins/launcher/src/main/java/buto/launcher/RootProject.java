package buto.launcher;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;

/** The project of whose modules one is built, wherever the build was started: its modules share one store. */
public final class RootProject {
    private static final String POM = "pom.xml";
    private static final String REPOSITORY = ".git";

    private RootProject() {}

    /**
     * Returns the outermost directory above a module with a POM that has modules, but none outside of its repository; in
     * Gradle, the nearest one with settings. It is the module itself, if there is none.
     */
    public static File of(File module) {
        boolean maven = new File(module, POM).isFile();
        File root = module;
        for (File at = module; at != null; at = at.getParentFile()) {
            if (maven ? hasModules(at) : isRootOfGradle(at)) {
                root = at;
            }
            if (maven ? new File(at, REPOSITORY).exists() : isRootOfGradle(at)) {
                break;
            }
        }
        return root;
    }

    private static boolean hasModules(File directory) {
        File pom = new File(directory, POM);
        try {
            return pom.isFile() && new String(Files.readAllBytes(pom.toPath()), StandardCharsets.UTF_8).contains("<module>");
        } catch (IOException unreadable) {
            return false;
        }
    }

    private static boolean isRootOfGradle(File directory) {
        return new File(directory, "settings.gradle").isFile() || new File(directory, "settings.gradle.kts").isFile();
    }
}
