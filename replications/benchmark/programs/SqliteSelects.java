import java.sql.DriverManager;

/** Looks up places by their codes, one by one. */
final class SqliteSelects {
    private static final int PLACES = 10_000;
    private static final int QUERIES = 400_000;

    public static void main(String[] args) throws Exception {
        try (var connection = DriverManager.getConnection("jdbc:sqlite::memory:")) {
            try (var statement = connection.createStatement()) {
                statement.execute("create table places (code text primary key, latitude real, longitude real)");
            }
            connection.setAutoCommit(false);
            try (var insert = connection.prepareStatement("insert into places values (?, ?, ?)")) {
                for (int i = 0; i < PLACES; i++) {
                    insert.setString(1, "PL" + i);
                    insert.setDouble(2, i / 100.0);
                    insert.setDouble(3, i / 200.0);
                    insert.executeUpdate();
                }
            }
            double sum = 0;
            try (var select = connection.prepareStatement("select latitude, longitude from places where code = ?")) {
                for (int i = 0; i < QUERIES; i++) {
                    select.setString(1, "PL" + i % PLACES);
                    try (var found = select.executeQuery()) {
                        found.next();
                        sum += found.getDouble(1) + found.getDouble(2);
                    }
                }
            }
            System.out.println(sum);
            Use.print();
        }
    }
}
