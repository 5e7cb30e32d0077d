package buto.store.catalogue;

import buto.store.service.Database;
import buto.store.tracing.Span;
import buto.store.tracing.Tracer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reads products and what customers looked at. */
final class Products {
    private static final String ALL = "select id, name, cents, description from product order by id";
    private static final String SOME = "select id, name, cents, description from product where id = any(?)";
    private static final String VIEWED = "select product from viewed where customer = ?";

    private final Database database;

    Products(Database database) {
        this.database = database;
    }

    List<Product> all() throws SQLException, InterruptedException {
        return database.transaction("SELECT product", connection -> products(connection, ALL, null));
    }

    List<Product> byId(Integer... ids) throws SQLException, InterruptedException {
        try (Span span = Tracer.component("Products.byId")) {
            return database.transaction("SELECT product", connection -> products(connection, SOME, ids));
        }
    }

    int[] viewedBy(int customer) throws SQLException, InterruptedException {
        try (Span span = Tracer.component("Products.viewedBy")) {
            return database.transaction("SELECT viewed", connection -> viewed(connection, customer));
        }
    }

    private static List<Product> products(Connection connection, String query, Integer[] ids) throws SQLException {
        try (var statement = connection.prepareStatement(query)) {
            if (ids != null) {
                statement.setArray(1, connection.createArrayOf("int4", ids));
            }
            List<Product> found = new ArrayList<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    found.add(new Product(row.getInt(1), row.getString(2), row.getInt(3), row.getString(4)));
                }
            }
            return found;
        }
    }

    private static int[] viewed(Connection connection, int customer) throws SQLException {
        try (var statement = connection.prepareStatement(VIEWED)) {
            statement.setInt(1, customer);
            int[] found = new int[64];
            int count = 0;
            try (ResultSet row = statement.executeQuery()) {
                while (row.next() && count < found.length) {
                    found[count++] = row.getInt(1);
                }
            }
            return Arrays.copyOf(found, count);
        }
    }
}
