package buto.junit;

import buto.launcher.ButoException;
import buto.launcher.Release;
import buto.launcher.Repository;
import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.regex.Pattern;

/**
 * The runtime that the build fetched with this jar, which depends on it.
 *
 * <p>Gradle adds it to the class path. Maven does not, but keeps it in the local repository, where the directories of
 * a group's artifacts stand side by side.
 */
final class Neighbours implements Repository {
    @Override
    public File runtime(String machine) throws ButoException {
        String name = Release.RUNTIME + "-" + Release.version() + "-" + machine + "." + Release.PACKED;
        for (String entry : System.getProperty("java.class.path").split(Pattern.quote(File.pathSeparator))) {
            if (new File(entry).getName().equals(name)) {
                return new File(entry);
            }
        }
        File beside = ours().getParent().getParent().resolveSibling(Paths.get(Release.RUNTIME, Release.version(), name))
                .toFile();
        if (beside.isFile()) {
            return beside;
        }
        throw new ButoException(
                "the build has not fetched " + name + ", neither into the class path nor to " + beside,
                "remove what excludes " + Release.RUNTIME + " from the dependencies, or name an installed buto:"
                        + " BUTO_EXECUTABLE=buto");
    }

    private static Path ours() {
        try {
            return Paths.get(Neighbours.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException failure) {
            throw new IllegalStateException("this jar of buto is in no file", failure);
        }
    }
}
