import io.dropwizard.hibernate.UnitOfWorkAwareProxyFactory;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.hibernate.SessionFactory;

/** Makes proxies of one class, each for a task of its own, as applications with units of work do. */
public final class DropwizardProxies {
    private static final int PROXIES = 300;

    public static class Authenticator {
        public String role(String user) {
            return user;
        }
    }

    public static void main(String[] args) throws Exception {
        var sessions = (SessionFactory) Proxy.newProxyInstance(
                DropwizardProxies.class.getClassLoader(),
                new Class<?>[] {SessionFactory.class},
                (proxy, method, values) -> method.getName().equals("hashCode") ? (Object) 1 : null);
        var factory = new UnitOfWorkAwareProxyFactory("shop", sessions);
        List<Authenticator> made = new ArrayList<>();
        for (int i = 0; i < PROXIES; i++) {
            made.add(factory.create(Authenticator.class));
        }
        if (!made.get(0).role("cook").equals("cook")) {
            throw new IllegalStateException("a proxy must answer as its class does");
        }
        Use.print(made);
    }
}
