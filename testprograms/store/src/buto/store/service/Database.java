package buto.store.service;

import buto.store.tracing.Span;
import buto.store.tracing.Tracer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/** Connections to PostgreSQL, kept open and lent to one request each. */
public final class Database {
    private static final int CONNECTIONS = 16;

    /** What is done with a connection. */
    @FunctionalInterface
    public interface Work<T> {
        T with(Connection connection) throws SQLException;
    }

    private final BlockingQueue<Connection> idle = new ArrayBlockingQueue<>(CONNECTIONS);

    public Database(String url) throws SQLException {
        for (int made = 0; made < CONNECTIONS; made++) {
            Connection connection = DriverManager.getConnection(url);
            connection.setAutoCommit(false);
            idle.add(connection);
        }
    }

    /** Carries out a transaction in a span of its name. */
    public <T> T transaction(String name, Work<T> work) throws SQLException, InterruptedException {
        Connection connection = idle.take();
        try (Span span = Tracer.client(name, "db.system.name", "postgresql")) {
            T found = work.with(connection);
            connection.commit();
            return found;
        } catch (SQLException failure) {
            connection.rollback();
            throw failure;
        } finally {
            idle.add(connection);
        }
    }
}
