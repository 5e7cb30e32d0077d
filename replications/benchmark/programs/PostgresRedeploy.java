import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Driver;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Loads the driver in a class loader of its own, connects and closes, and drops it, as web applications that are deployed anew. */
final class PostgresRedeploy {
    private static final int DEPLOYMENTS = 20;

    public static void main(String[] args) throws Exception {
        URL jar = Path.of(Stream.of(System.getProperty("java.class.path").split(":"))
                        .filter(path -> path.contains("postgresql-"))
                        .findFirst()
                        .orElseThrow())
                .toUri()
                .toURL();
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var answering = new Thread(() -> answer(server));
            answering.setDaemon(true);
            answering.start();
            String address = "jdbc:postgresql://127.0.0.1:" + server.getLocalPort() + "/shop";
            for (int i = 0; i < DEPLOYMENTS; i++) {
                deploy(jar, address);
            }
            // What a deployment has left is finalized before its classes are unloaded.
            System.gc();
            TimeUnit.SECONDS.sleep(1);
            Use.print();
        }
    }

    private static void deploy(URL jar, String address) throws Exception {
        var settings = new Properties();
        settings.setProperty("user", "shop");
        settings.setProperty("sslmode", "disable");
        settings.setProperty("assumeMinServerVersion", "14");
        try (var loader = new URLClassLoader(new URL[] {jar}, ClassLoader.getPlatformClassLoader())) {
            Class<?> type = Class.forName("org.postgresql.Driver", true, loader);
            ((Driver) type.getConstructor().newInstance()).connect(address, settings).close();
            type.getMethod("deregister").invoke(null);
        }
    }

    /** Accepts whoever connects, one after the other, until they close; there is no database. */
    private static void answer(ServerSocket server) {
        try {
            while (true) {
                try (Socket client = server.accept()) {
                    var in = new DataInputStream(client.getInputStream());
                    in.readFully(new byte[in.readInt() - 4]);
                    var out = new DataOutputStream(client.getOutputStream());
                    send(out, 'R', "\0\0\0\0");
                    send(out, 'S', "server_version\00014.0\0");
                    send(out, 'S', "client_encoding\0UTF8\0");
                    send(out, 'S', "standard_conforming_strings\0on\0");
                    send(out, 'S', "integer_datetimes\0on\0");
                    send(out, 'S', "DateStyle\0ISO\0");
                    send(out, 'S', "TimeZone\0UTC\0");
                    send(out, 'K', "\0\0\0\001\0\0\0\001");
                    send(out, 'Z', "I");
                    in.transferTo(DataOutputStream.nullOutputStream());
                }
            }
        } catch (IOException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private static void send(DataOutputStream out, char kind, String text) throws IOException {
        byte[] content = text.getBytes(StandardCharsets.ISO_8859_1);
        out.writeByte(kind);
        out.writeInt(content.length + 4);
        out.write(content);
        out.flush();
    }
}
