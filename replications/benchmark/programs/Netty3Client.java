import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.Executors;
import org.jboss.netty.bootstrap.ClientBootstrap;
import org.jboss.netty.channel.Channel;
import org.jboss.netty.channel.Channels;
import org.jboss.netty.channel.socket.nio.NioClientSocketChannelFactory;

/** Connects to a few servers on this machine, each by a client of its own. */
final class Netty3Client {
    private static final int CLIENTS = 10;
    private static final int WORKERS = 8;

    public static void main(String[] args) throws Exception {
        try (var server = new ServerSocket(0, CLIENTS, InetAddress.getLoopbackAddress())) {
            var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort());
            var channels = new Channel[CLIENTS];
            for (int i = 0; i < CLIENTS; i++) {
                var threads = Executors.newCachedThreadPool(task -> {
                    var thread = new Thread(task);
                    thread.setDaemon(true);
                    return thread;
                });
                var client = new ClientBootstrap(new NioClientSocketChannelFactory(threads, threads, WORKERS));
                client.setPipelineFactory(Channels::pipeline);
                channels[i] = client.connect(address).sync().getChannel();
            }
            Use.print((Object) channels);
            System.exit(0);
        }
    }
}
