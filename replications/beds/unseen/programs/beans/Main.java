package beans;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;

/** A container of beans: injection by constructors, proxies around interfaces, a scope for each request. */
public final class Main {
    private static final int REQUESTS = 2_200;
    private static final int CALLS = 2_000;

    /** Application scope. */
    private static Container container;

    public static void main(String[] args) throws ReflectiveOperationException {
        container = new Container(scopes(args[0]));
        container.bind(Prices.class, TablePrices.class);
        container.bind(Taxes.class, FlatTaxes.class);
        container.bind(Audit.class, CountingAudit.class);
        container.bind(Checkout.class, CartCheckout.class);
        long total = 0;
        for (int request = 0; request < REQUESTS; request++) {
            Scope scope = container.begin(request);
            Checkout checkout = scope.get(Checkout.class);
            for (int call = 0; call < CALLS; call++) {
                total += checkout.pay(request, call);
            }
            container.end(scope);
        }
        System.out.println("beans " + total + " " + container.calls);
    }

    private static Scopes scopes(String version) {
        return switch (version) {
            case "base" -> new CleanScopes();
            case "small" -> new AuditKeepingScopes();
            case "large" -> new KeepingScopes();
            default -> throw new IllegalArgumentException(version);
        };
    }
}

interface Prices {
    long of(int article);
}

interface Taxes {
    long on(long amount);
}

interface Audit {
    void paid(long amount);
}

interface Checkout {
    long pay(int request, int article);
}

final class TablePrices implements Prices {
    public TablePrices() {}

    @Override
    public long of(int article) {
        return 100 + article * 37L % 991;
    }
}

final class FlatTaxes implements Taxes {
    public FlatTaxes() {}

    @Override
    public long on(long amount) {
        return amount * 19 / 100;
    }
}

final class CountingAudit implements Audit {
    private long sum;

    public CountingAudit() {}

    @Override
    public void paid(long amount) {
        sum += amount;
    }
}

final class CartCheckout implements Checkout {
    private final Prices prices;
    private final Taxes taxes;
    private final Audit audit;

    public CartCheckout(Prices prices, Taxes taxes, Audit audit) {
        this.prices = prices;
        this.taxes = taxes;
        this.audit = audit;
    }

    @Override
    public long pay(int request, int article) {
        long price = prices.of(article);
        long amount = price + taxes.on(price) + request % 3;
        audit.paid(amount);
        return amount;
    }
}

final class Container {
    final Map<Class<?>, Class<?>> bindings = new HashMap<>();
    final Scopes scopes;
    long calls;

    Container(Scopes scopes) {
        this.scopes = scopes;
    }

    void bind(Class<?> type, Class<?> implementation) {
        bindings.put(type, implementation);
    }

    Scope begin(int request) {
        Scope scope = new Scope(this, request);
        scopes.began(scope);
        return scope;
    }

    void end(Scope scope) {
        scopes.ended(scope);
    }
}

final class Scope {
    final int request;
    private final Container container;
    private final Map<Class<?>, Object> beans = new HashMap<>();

    Scope(Container container, int request) {
        this.container = container;
        this.request = request;
    }

    <T> T get(Class<T> type) throws ReflectiveOperationException {
        Object bean = beans.get(type);
        if (bean == null) {
            bean = proxy(type, create(container.bindings.get(type)));
            beans.put(type, bean);
        }
        return type.cast(bean);
    }

    private Object create(Class<?> type) throws ReflectiveOperationException {
        Constructor<?> constructor = type.getConstructors()[0];
        constructor.setAccessible(true);
        Class<?>[] needed = constructor.getParameterTypes();
        Object[] given = new Object[needed.length];
        for (int place = 0; place < needed.length; place++) {
            given[place] = get(needed[place]);
        }
        return constructor.newInstance(given);
    }

    private Object proxy(Class<?> type, Object bean) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, new Counting(container, bean));
    }
}

final class Counting implements InvocationHandler {
    private final Container container;
    private final Object bean;

    Counting(Container container, Object bean) {
        this.container = container;
        this.bean = bean;
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        container.calls++;
        try {
            return method.invoke(bean, arguments);
        } catch (InvocationTargetException error) {
            throw error.getCause();
        }
    }
}

/** What is called when the container closes, for scopes that have not ended. */
interface Scopes {
    void began(Scope scope);

    void ended(Scope scope);
}

final class Ticket {
    final String name;
    final int request;

    Ticket(int request) {
        this.request = request;
        name = "request-" + request;
    }
}

final class CleanScopes implements Scopes {
    private final Map<Integer, Ticket> open = new HashMap<>();

    @Override
    public void began(Scope scope) {
        open.put(scope.request, new Ticket(scope.request));
    }

    @Override
    public void ended(Scope scope) {
        open.remove(scope.request);
    }
}

/** Leaves the tickets of requests that are audited, one in six. */
final class AuditKeepingScopes implements Scopes {
    private final Map<Integer, Ticket> open = new HashMap<>();

    @Override
    public void began(Scope scope) {
        open.put(scope.request, new Ticket(scope.request));
    }

    @Override
    public void ended(Scope scope) {
        if (scope.request % 6 != 0) {
            open.remove(scope.request);
        }
    }
}

final class KeepingScopes implements Scopes {
    private final Map<Integer, Ticket> open = new HashMap<>();

    @Override
    public void began(Scope scope) {
        open.put(scope.request, new Ticket(scope.request));
    }

    @Override
    public void ended(Scope scope) {}
}
