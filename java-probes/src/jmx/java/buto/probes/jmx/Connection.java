package buto.probes.jmx;

import buto.probes.jmx.polling.Watch;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import javax.management.JMException;
import javax.management.MBeanInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import javax.rmi.ssl.SslRMIClientSocketFactory;

/** A connection to the MBean server of one JVM. Every call that may hang has a time limit. */
public final class Connection {
    /** Shorter than the response time of RMI (see the worker's options), which would end the connection. */
    private static final long FETCH_MS = 2000;

    final MBeanServerConnection server;
    final JMXConnector connector;

    private Connection(JMXConnector connector) throws IOException {
        this.connector = connector;
        this.server = connector.getMBeanServerConnection();
    }

    /**
     * @param user null without authentication
     * @param registryTls whether the RMI registry of the address uses TLS itself
     */
    public static Connection open(String address, String user, String password, boolean registryTls, long withinMs)
            throws Exception {
        JMXServiceURL url = new JMXServiceURL(address);
        LoopbackFirst.expect(address);
        Map<String, Object> environment = new HashMap<>();
        environment.put("jmx.remote.x.client.connection.check.period", 0L);
        environment.put("jmx.remote.x.notification.fetch.timeout", FETCH_MS);
        if (user != null) {
            environment.put(JMXConnector.CREDENTIALS, new String[] {user, password});
        }
        if (registryTls) {
            environment.put("com.sun.jndi.rmi.factory.socket", new SslRMIClientSocketFactory());
        }
        return Bounded.call("connecting to " + address, withinMs,
                () -> new Connection(JMXConnectorFactory.connect(url, environment)),
                connection -> connection.close(withinMs));
    }

    /** Invoke an operation by its name and number of arguments; numbers are converted to its types. */
    public Object invoke(String bean, String operation, Object[] arguments, long withinMs) throws Exception {
        ObjectName name = Watch.name(bean);
        return Bounded.call(operation + " of " + bean, withinMs, () -> {
            MBeanParameterInfo[] signature = signature(name, operation, arguments.length);
            Object[] converted = new Object[arguments.length];
            String[] types = new String[arguments.length];
            for (int i = 0; i < arguments.length; i++) {
                types[i] = signature[i].getType();
                converted[i] = Argument.convert(arguments[i], types[i]);
            }
            return server.invoke(name, operation, converted, types);
        }, unused -> { });
    }

    private MBeanParameterInfo[] signature(ObjectName name, String operation, int count)
            throws IOException, JMException {
        MBeanInfo info = server.getMBeanInfo(name);
        for (MBeanOperationInfo candidate : info.getOperations()) {
            if (candidate.getName().equals(operation) && candidate.getSignature().length == count) {
                return candidate.getSignature();
            }
        }
        throw new IllegalArgumentException(name + " has no operation " + operation + " with " + count + " arguments");
    }

    /** Close the connection. @return whether that was done in time; if not, its thread is left behind */
    public boolean close(long withinMs) {
        try {
            return Bounded.call("closing a connection", withinMs, () -> {
                connector.close();
                return true;
            }, unused -> { });
        } catch (IOException alreadyGone) {
            return true;
        } catch (Exception late) {
            return false;
        } finally {
            // RMI keeps a thread for each address until its stubs are collected.
            System.gc();
        }
    }
}
