import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.Random;

/** Fills a table with random words and closes the database compacted. */
final class H2Compact {
    private static final int ROWS = 60_000;
    private static final int COLUMNS = 5;

    public static void main(String[] args) throws Exception {
        Path directory = Files.createTempDirectory("shop");
        Path file = directory.resolve("shop.mv.db");
        var random = new Random(3);
        try (var connection = DriverManager.getConnection("jdbc:h2:" + directory.resolve("shop"), "sa", "")) {
            var statement = connection.createStatement();
            statement.execute("create table goods (id int primary key, a varchar, b varchar, c varchar, d varchar, e varchar)");
            connection.setAutoCommit(false);
            var insert = connection.prepareStatement("insert into goods values (?, ?, ?, ?, ?, ?)");
            for (int i = 0; i < ROWS; i++) {
                insert.setInt(1, i);
                for (int j = 0; j < COLUMNS; j++) {
                    insert.setString(2 + j, Long.toString(random.nextLong() >>> 1, 36));
                }
                insert.executeUpdate();
            }
            connection.commit();
            statement.execute("shutdown compact");
        }
        System.out.println(Files.size(file));
        Files.delete(file);
        Files.deleteIfExists(directory.resolve("shop.trace.db"));
        Files.delete(directory);
        Use.print();
    }
}
