import java.sql.DriverManager;

/** Executes one prepared statement again and again, each time with another parameter. */
final class DuckdbPrepared {
    private static final int EXECUTIONS = 40_000;

    public static void main(String[] args) throws Exception {
        try (var connection = DriverManager.getConnection("jdbc:duckdb:");
                var statement = connection.prepareStatement("SELECT CAST(? AS INTEGER) + 1")) {
            long sum = 0;
            for (int i = 0; i < EXECUTIONS; i++) {
                statement.setInt(1, i);
                try (var rows = statement.executeQuery()) {
                    rows.next();
                    sum += rows.getInt(1);
                }
            }
            System.out.println(sum);
            Use.print(connection, statement);
        }
    }
}
