package buto.probes.jmx;

import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.rmi.server.RMIServerSocketFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.management.remote.JMXConnectorServer;
import javax.management.remote.JMXConnectorServerFactory;
import javax.management.remote.JMXServiceURL;
import javax.management.remote.rmi.RMIConnectorServer;

/**
 * Records this JVM itself through loopback, so that all classes are loaded before the first target starts.
 * Otherwise that target's first sample would come some 0.2 s later than those of later targets.
 */
public final class WarmUp {
    private static final int RECORDING_MS = 20;

    private WarmUp() {}

    /** Record a few samples; leave no port and no thread behind. */
    public static void run(long withinMs) throws Exception {
        List<ServerSocket> sockets = new ArrayList<>();
        RMIServerSocketFactory loopback = port -> {
            ServerSocket socket = new ServerSocket(port, 0, InetAddress.getLoopbackAddress());
            sockets.add(socket);
            return socket;
        };
        Map<String, Object> environment = new HashMap<>();
        environment.put(RMIConnectorServer.RMI_SERVER_SOCKET_FACTORY_ATTRIBUTE, loopback);
        JMXConnectorServer server = JMXConnectorServerFactory.newJMXConnectorServer(
                new JMXServiceURL("rmi", "127.0.0.1", 0), environment, ManagementFactory.getPlatformMBeanServer());
        server.start();
        try {
            Connection connection = Connection.open(server.getAddress().toString(), null, null, false, withinMs);
            Session session = new Session(connection);
            session.start(TimeUnit.MILLISECONDS.toNanos(1), true, withinMs);
            TimeUnit.MILLISECONDS.sleep(RECORDING_MS);
            session.finish(withinMs);
            session.drain();
            connection.close(withinMs);
        } finally {
            server.stop();
            for (ServerSocket socket : sockets) {
                socket.close();
            }
        }
    }
}
