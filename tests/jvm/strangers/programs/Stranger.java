import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.util.HashMap;
import java.util.Map;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** Tries to be let in by a JMX agent: {@code Stranger PORT [USER PASSWORD]...}; prints a line for each attempt. */
public final class Stranger {
    private Stranger() {}

    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[0]);
        connect(port, null);
        for (int i = 1; i < arguments.length; i += 2) {
            connect(port, new String[] {arguments[i], arguments[i + 1]});
        }
        try {
            Registry registry = LocateRegistry.getRegistry("127.0.0.1", port);
            registry.rebind("jmxrmi", registry.lookup("jmxrmi"));
            System.out.println("rebind: got in");
        } catch (Exception refused) {
            System.out.println("rebind: refused");
        }
    }

    private static void connect(int port, String[] credentials) {
        Map<String, Object> environment = new HashMap<>();
        if (credentials != null) {
            environment.put(JMXConnector.CREDENTIALS, credentials);
        }
        String who = credentials == null ? "nobody" : credentials[0];
        try {
            JMXServiceURL url = new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + port + "/jmxrmi");
            try (JMXConnector connector = JMXConnectorFactory.connect(url, environment)) {
                int beans = connector.getMBeanServerConnection().getMBeanCount();
                System.out.println(who + ": got in, and saw " + beans + " beans");
            }
        } catch (SecurityException refused) {
            System.out.println(who + ": refused");
        } catch (Exception other) {
            System.out.println(who + ": " + other);
        }
    }
}
