package buto.store.order;

import buto.store.service.Database;
import buto.store.tracing.Span;
import buto.store.tracing.Tracer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** Stores orders. */
final class Orders {
    private static final String ORDER = "insert into purchase (customer, cents) values (?, ?) returning id";
    private static final String LINE = "insert into line (purchase, product, pieces) values (?, ?, ?)";

    private final Database database;

    Orders(Database database) {
        this.database = database;
    }

    /** Stores an order and returns its number. */
    long place(int customer, long cents, List<Line> lines) throws SQLException, InterruptedException {
        try (Span span = Tracer.component("Orders.place")) {
            return database.transaction("INSERT purchase", connection -> insert(connection, customer, cents, lines));
        }
    }

    private static long insert(Connection connection, int customer, long cents, List<Line> lines) throws SQLException {
        long number;
        try (var statement = connection.prepareStatement(ORDER)) {
            statement.setInt(1, customer);
            statement.setLong(2, cents);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                number = row.getLong(1);
            }
        }
        try (var statement = connection.prepareStatement(LINE)) {
            for (Line line : lines) {
                statement.setLong(1, number);
                statement.setInt(2, line.product());
                statement.setInt(3, line.pieces());
                statement.addBatch();
            }
            statement.executeBatch();
        }
        return number;
    }
}
