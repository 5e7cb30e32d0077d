package buto.probes.agent;

import java.io.IOException;
import java.io.InputStream;
import java.security.ProtectionDomain;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Loads the agent's classes into a module that nothing else is in: the unnamed one of this loader. What the agent opens
 * of the JDK for itself stays shut for the program, which has the agent's jar on its class path.
 */
final class OwnModule extends ClassLoader {
    private static final String OWN = "buto.probes.agent.";

    private final ProtectionDomain domain = OwnModule.class.getProtectionDomain();
    private final ZipFile jar;

    /** Opens the agent's jar, which the JVM has open already. */
    OwnModule() throws IOException {
        super(OwnModule.class.getClassLoader());
        jar = new ZipFile(domain.getCodeSource().getLocation().getPath());
    }

    /** Asks the parent last: it has the same classes, in the program's module. */
    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(OWN)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            return known == null ? findClass(name) : known;
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        try {
            ZipEntry entry = jar.getEntry(name.replace('.', '/').concat(".class"));
            if (entry == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = new byte[(int) entry.getSize()];
            InputStream content = jar.getInputStream(entry);
            int length = 0;
            for (int count = 0; count >= 0 && length < bytes.length; length += Math.max(0, count)) {
                count = content.read(bytes, length, bytes.length - length);
            }
            return defineClass(name, bytes, 0, length, domain);
        } catch (IOException unreadable) {
            throw new ClassNotFoundException(name, unreadable);
        }
    }
}
