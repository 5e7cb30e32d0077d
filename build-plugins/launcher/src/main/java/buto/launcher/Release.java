package buto.launcher;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** What these plugins are part of: the names under which a repository has all of it. */
public final class Release {
    /** The artifact with {@link Runtimes a runtime}, whose classifier is the machine's. */
    public static final String RUNTIME = "buto-runtime";

    /** The type of that artifact. */
    public static final String PACKED = "tar.gz";

    private static final Properties NAMES = names();

    private Release() {}

    /** Returns the group of all artifacts. */
    public static String group() {
        return NAMES.getProperty("group");
    }

    /** Returns the version of all artifacts. */
    public static String version() {
        return NAMES.getProperty("version");
    }

    /**
     * Returns the classifier of this machine's runtime.
     *
     * @throws ButoException if none is built for such a machine
     */
    public static String machine() throws ButoException {
        String system = System.getProperty("os.name");
        String processor = System.getProperty("os.arch");
        if (system.equals("Linux") && processor.equals("amd64")) {
            return "linux-x86_64";
        }
        if (system.equals("Linux") && processor.equals("aarch64")) {
            return "linux-aarch64";
        }
        throw new ButoException(
                "there is no runtime of buto for " + system + " on " + processor,
                Executable.INSTALL + ", and name it as the executable");
    }

    private static Properties names() {
        Properties names = new Properties();
        try (InputStream stream = Release.class.getResourceAsStream("release.properties")) {
            names.load(stream);
        } catch (IOException failure) {
            throw new IllegalStateException("this jar of buto is damaged", failure);
        }
        return names;
    }
}
