package buto.probes.jmx;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.rmi.server.RMISocketFactory;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reaches JVMs that listen only on loopback. Their remote objects name the host's address, unless
 * java.rmi.server.hostname is set in them, which would change the program's own RMI.
 */
final class LoopbackFirst extends RMISocketFactory {
    private static final Pattern ADDRESS = Pattern.compile("//127\\.0\\.0\\.1:(\\d+)/");
    private static final Set<Integer> PORTS = ConcurrentHashMap.newKeySet();

    /** From now on use loopback for the port of this address, if the address is on loopback. */
    static synchronized void expect(String address) throws IOException {
        Matcher matcher = ADDRESS.matcher(address);
        if (matcher.find() && PORTS.add(Integer.valueOf(matcher.group(1))) && getSocketFactory() == null) {
            setSocketFactory(new LoopbackFirst());
        }
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        if (PORTS.contains(port)) {
            try {
                return new Socket(InetAddress.getLoopbackAddress(), port);
            } catch (ConnectException nobody) {
                PORTS.remove(port);
            }
        }
        return getDefaultSocketFactory().createSocket(host, port);
    }

    @Override
    public ServerSocket createServerSocket(int port) throws IOException {
        return getDefaultSocketFactory().createServerSocket(port);
    }
}
