import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.sql.Driver;
import java.util.stream.Stream;

/** Loads the driver in a class loader of its own, asks it for an address, and drops it, as a web application that is deployed anew. */
final class MysqlRedeploy {
    private static final int DEPLOYMENTS = 2;

    public static void main(String[] args) throws Exception {
        URL jar = Path.of(Stream.of(System.getProperty("java.class.path").split(":"))
                        .filter(path -> path.contains("mysql-connector-java-"))
                        .findFirst()
                        .orElseThrow())
                .toUri()
                .toURL();
        for (int i = 0; i < DEPLOYMENTS; i++) {
            deploy(jar);
        }
        Use.print();
    }

    private static void deploy(URL jar) throws Exception {
        try (var loader = new URLClassLoader(new URL[] {jar}, ClassLoader.getPlatformClassLoader())) {
            Class<?> type = Class.forName("com.mysql.jdbc.NonRegisteringDriver", true, loader);
            var driver = (Driver) type.getConstructor().newInstance();
            if (!driver.acceptsURL("jdbc:mysql://127.0.0.1/shop")) {
                throw new IllegalStateException("the driver must accept its own addresses");
            }
        }
    }
}
