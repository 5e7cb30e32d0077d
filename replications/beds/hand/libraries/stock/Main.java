import java.nio.file.*;
import java.sql.*;
import java.util.*;

/** Weekly stock report of a wholesaler out of a SQLite file. */
public class Main {
    public static void main(String[] args) throws Exception {
        System.setProperty("slf4j.internal.verbosity", "ERROR");
        Path file = Files.createTempFile("stock", ".db");
        try {
            fill("jdbc:sqlite:" + file);
            String v = args[0];
            try (Connection c = DriverManager.getConnection("jdbc:sqlite:" + file)) {
                try (Statement s = c.createStatement()) {
                    s.execute("pragma cache_size = 10");
                }
                Report report = (Report) Class.forName("Report" + v.substring(0, 1).toUpperCase() + v.substring(1)).getDeclaredConstructor(Connection.class).newInstance(c);
                long rows = 0, units = 0;
                for (int week = 0; week < 50; week++) {
                    for (Map.Entry<String, Integer> e : report.week(week * 7, week * 7 + 6).entrySet()) {
                        rows++;
                        units += (long) e.getKey().hashCode() * e.getValue();
                    }
                }
                System.out.println(rows + " rows, digest " + units);
            }
        } finally {
            Files.delete(file);
        }
    }

    private static void fill(String url) throws SQLException {
        Random r = new Random(29);
        try (Connection c = DriverManager.getConnection(url); Statement s = c.createStatement()) {
            s.execute("pragma journal_mode = off");
            s.execute("pragma synchronous = off");
            s.execute("create table moves(id integer primary key, day int, item int, units int, note text)");
            c.setAutoCommit(false);
            try (PreparedStatement m = c.prepareStatement("insert into moves(day, item, units, note) values(?,?,?,?)")) {
                for (int n = 0; n < 30_000; n++) {
                    m.setInt(1, Math.floorMod(n * 350 / 30_000 + (int) (r.nextGaussian() * 4), 350));
                    m.setInt(2, r.nextInt(40));
                    m.setInt(3, 1 + r.nextInt(20));
                    m.setString(4, "moved by hand from gate " + r.nextInt(9) + ", no remarks");
                    m.addBatch();
                }
                m.executeBatch();
            }
            s.execute("create index moves_day on moves(day)");
            c.commit();
        }
    }
}

interface Report {
    /** Units moved by item, from the first to the last day. */
    Map<String, Integer> week(int first, int last) throws SQLException;
}
