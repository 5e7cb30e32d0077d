import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import javax.sql.DataSource;

/** Takes a connection from the pool and gives it back, many times; the database behind it does nothing. */
final class HikariCycle {
    private static final int CYCLES = 15_000_000;

    public static void main(String[] args) throws Exception {
        var config = new HikariConfig();
        config.setDataSource(source());
        config.setMaximumPoolSize(32);
        config.setMinimumIdle(32);
        try (var pool = new HikariDataSource(config)) {
            for (int i = 0; i < CYCLES; i++) {
                try (Connection connection = pool.getConnection()) {
                    connection.hashCode();
                }
            }
            Use.print();
        }
    }

    private static DataSource source() {
        return implement(DataSource.class, (proxy, method, args) -> method.getName().equals("getConnection")
                ? implement(Connection.class, HikariCycle::answer)
                : answer(proxy, method, args));
    }

    private static Object answer(Object proxy, Method method, Object[] args) {
        if (method.getName().equals("hashCode")) {
            return System.identityHashCode(proxy);
        }
        if (method.getName().equals("equals")) {
            return proxy == args[0];
        }
        if (method.getName().equals("isValid") || method.getName().equals("getAutoCommit")) {
            return true;
        }
        if (method.getReturnType() == int.class) {
            return method.getName().equals("getTransactionIsolation") ? Connection.TRANSACTION_READ_COMMITTED : 0;
        }
        return method.getReturnType() == boolean.class ? false : null;
    }

    private static <T> T implement(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
