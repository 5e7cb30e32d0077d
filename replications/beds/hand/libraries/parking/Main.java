import java.sql.*;
import java.util.*;

/** The gate of a parking house: cars come and go, with the stays in an HSQLDB database in memory. */
public class Main {
    public static void main(String[] args) throws Exception {
        try (Connection c = DriverManager.getConnection("jdbc:hsqldb:mem:parking", "sa", "")) {
            Gate gate = gate(args[0], c);
            Random r = new Random(3);
            List<String> inside = new ArrayList<>();
            long cents = 0;
            for (int minute = 0; minute < 3600; minute++) {
                String plate = "W-" + r.nextInt(100_000) + "-" + minute;
                gate.enter(plate, minute);
                inside.add(plate);
                if (inside.size() > 900) {
                    String gone = inside.set(r.nextInt(900), inside.get(inside.size() - 1));
                    inside.remove(inside.size() - 1);
                    cents += gate.leave(gone, minute);
                }
            }
            System.out.println("taken " + cents + " cents, inside " + gate.inside());
            try (Statement s = c.createStatement()) {
                s.execute("shutdown");
            }
        }
    }

    private static Gate gate(String v, Connection c) throws SQLException {
        return switch (v) {
            case "base" -> new BaseGate(c);
            case "small" -> new SmallGate(c);
            case "large" -> new LargeGate(c);
            case "harmless1" -> new Harmless1Gate(c);
            case "harmless2" -> new Harmless2Gate(c);
            case "better" -> new BetterGate(c);
            default -> throw new IllegalArgumentException(v);
        };
    }

    static int fee(int minutes) {
        return 100 + (minutes + 29) / 30 * 80;
    }
}

interface Gate {
    void enter(String plate, int minute) throws SQLException;

    /** The fee in cents. */
    int leave(String plate, int minute) throws SQLException;

    int inside() throws SQLException;

    static int count(Connection c) throws SQLException {
        try (Statement s = c.createStatement(); ResultSet r = s.executeQuery("select count(*) from stay")) {
            r.next();
            return r.getInt(1);
        }
    }

    static void create(Connection c, String key) throws SQLException {
        try (Statement s = c.createStatement()) {
            s.execute("create table stay(plate varchar(30) " + key + ", since int)");
        }
    }
}
