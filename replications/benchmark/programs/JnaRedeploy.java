import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Loads the library in a class loader of its own, takes some native memory, and drops it, as web applications that are deployed anew. */
final class JnaRedeploy {
    private static final int DEPLOYMENTS = 15;

    public static void main(String[] args) throws Exception {
        URL jar = Path.of(Stream.of(System.getProperty("java.class.path").split(":"))
                        .filter(path -> path.endsWith(".jar"))
                        .findFirst()
                        .orElseThrow())
                .toUri()
                .toURL();
        for (int i = 0; i < DEPLOYMENTS; i++) {
            deploy(jar);
        }
        // What a deployment has left is cleaned before its classes are unloaded.
        for (int i = 0; i < 5; i++) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(100);
        }
        Use.print();
    }

    private static void deploy(URL jar) throws Exception {
        Thread current = Thread.currentThread();
        ClassLoader before = current.getContextClassLoader();
        try (var loader = new URLClassLoader(new URL[] {jar}, ClassLoader.getPlatformClassLoader())) {
            current.setContextClassLoader(loader);
            Class<?> memory = Class.forName("com.sun.jna.Memory", true, loader);
            Object taken = memory.getConstructor(long.class).newInstance(64L);
            memory.getMethod("clear").invoke(taken);
        } finally {
            current.setContextClassLoader(before);
        }
    }
}
