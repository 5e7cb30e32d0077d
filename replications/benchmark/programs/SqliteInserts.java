import java.sql.DriverManager;

/** Inserts rows one by one in a transaction, without reading the keys that the database made. */
final class SqliteInserts {
    private static final int ROWS = 500_000;

    public static void main(String[] args) throws Exception {
        try (var connection = DriverManager.getConnection("jdbc:sqlite::memory:")) {
            try (var statement = connection.createStatement()) {
                statement.execute("create table orders (id integer primary key, customer text, total integer)");
            }
            connection.setAutoCommit(false);
            try (var insert = connection.prepareStatement("insert into orders (customer, total) values (?, ?)")) {
                for (int i = 0; i < ROWS; i++) {
                    insert.setString(1, "customer" + i % 1000);
                    insert.setInt(2, i);
                    insert.executeUpdate();
                }
            }
            connection.commit();
            Use.print();
        }
    }
}
