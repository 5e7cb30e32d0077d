import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import javax.management.MBeanServer;
import javax.management.MBeanServerBuilder;
import javax.management.MBeanServerDelegate;
import javax.management.ObjectName;

/** Replaces the platform's MBean server by one of its own, or, as a property says, by none. */
public final class Builder extends MBeanServerBuilder {
    @Override
    public MBeanServer newMBeanServer(String domain, MBeanServer outer, MBeanServerDelegate delegate) {
        if (Boolean.getBoolean("builder.fails")) {
            throw new IllegalStateException("no server on purpose");
        }
        MBeanServer real = super.newMBeanServer(domain, null, delegate);
        return (MBeanServer) Proxy.newProxyInstance(
                Builder.class.getClassLoader(), new Class<?>[] {MBeanServer.class}, (proxy, method, arguments) -> {
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause();
                    }
                });
    }

    public static void main(String[] arguments) throws Exception {
        if (!Boolean.getBoolean("builder.fails")) {
            MBeanServer server = ManagementFactory.getPlatformMBeanServer();
            System.out.println(Proxy.isProxyClass(server.getClass()));
            server.registerMBean(new Odd(), new ObjectName("test:type=Odd"));
        }
        Thread.sleep(200);
        System.out.println("done");
    }
}
