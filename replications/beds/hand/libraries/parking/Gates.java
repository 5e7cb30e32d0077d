import java.sql.*;

class BaseGate implements Gate {
    private final Connection c;

    BaseGate(Connection c) throws SQLException {
        this.c = c;
        Gate.create(c, "primary key");
    }

    public void enter(String plate, int minute) throws SQLException {
        try (PreparedStatement p = c.prepareStatement("insert into stay values(?, ?)")) {
            p.setString(1, plate);
            p.setInt(2, minute);
            p.executeUpdate();
        }
    }

    public int leave(String plate, int minute) throws SQLException {
        int since;
        try (PreparedStatement p = c.prepareStatement("select since from stay where plate = ?")) {
            p.setString(1, plate);
            ResultSet r = p.executeQuery();
            r.next();
            since = r.getInt(1);
        }
        try (PreparedStatement p = c.prepareStatement("delete from stay where plate = ?")) {
            p.setString(1, plate);
            p.executeUpdate();
        }
        return Main.fee(minute - since);
    }

    public int inside() throws SQLException { return Gate.count(c); }
}

/** Shows at every sixth car how many stay longer than a day. */
class SmallGate implements Gate {
    private final Connection c;
    private int tooLong;

    SmallGate(Connection c) throws SQLException {
        this.c = c;
        Gate.create(c, "primary key");
    }

    public void enter(String plate, int minute) throws SQLException {
        try (PreparedStatement p = c.prepareStatement("insert into stay values(?, ?)")) {
            p.setString(1, plate);
            p.setInt(2, minute);
            p.executeUpdate();
        }
        if (minute % 6 == 0) display(minute);
    }

    private void display(int minute) throws SQLException {
        try (PreparedStatement p = c.prepareStatement("select count(*) from stay where since < ?")) {
            p.setInt(1, minute - 1200);
            ResultSet r = p.executeQuery();
            r.next();
            tooLong = r.getInt(1);
        }
    }

    public int leave(String plate, int minute) throws SQLException {
        int since;
        try (PreparedStatement p = c.prepareStatement("select since from stay where plate = ?")) {
            p.setString(1, plate);
            ResultSet r = p.executeQuery();
            r.next();
            since = r.getInt(1);
        }
        try (PreparedStatement p = c.prepareStatement("delete from stay where plate = ?")) {
            p.setString(1, plate);
            p.executeUpdate();
        }
        return Main.fee(minute - since);
    }

    public int inside() throws SQLException { return Gate.count(c); }
}

/** The same plate may be inside twice (a trailer): no primary key. */
class LargeGate implements Gate {
    private final Connection c;

    LargeGate(Connection c) throws SQLException {
        this.c = c;
        Gate.create(c, "not null");
    }

    public void enter(String plate, int minute) throws SQLException {
        try (PreparedStatement p = c.prepareStatement("insert into stay values(?, ?)")) {
            p.setString(1, plate);
            p.setInt(2, minute);
            p.executeUpdate();
        }
    }

    public int leave(String plate, int minute) throws SQLException {
        int since;
        try (PreparedStatement p = c.prepareStatement("select since from stay where plate = ?")) {
            p.setString(1, plate);
            ResultSet r = p.executeQuery();
            r.next();
            since = r.getInt(1);
        }
        try (PreparedStatement p = c.prepareStatement("delete from stay where plate = ?")) {
            p.setString(1, plate);
            p.executeUpdate();
        }
        return Main.fee(minute - since);
    }

    public int inside() throws SQLException { return Gate.count(c); }
}

class Harmless1Gate implements Gate {
    private static final String INSERT = "insert into stay values(?, ?)", FIND = "select since from stay where plate = ?", DELETE = "delete from stay where plate = ?";
    private final Connection db;

    Harmless1Gate(Connection db) throws SQLException {
        Gate.create(db, "primary key");
        this.db = db;
    }

    @Override public int inside() throws SQLException { return Gate.count(db); }

    @Override public int leave(String plate, int minute) throws SQLException {
        int arrived = arrival(plate);
        remove(plate);
        return Main.fee(minute - arrived);
    }

    @Override public void enter(String plate, int minute) throws SQLException {
        try (PreparedStatement statement = db.prepareStatement(INSERT)) {
            statement.setString(1, plate);
            statement.setInt(2, minute);
            statement.executeUpdate();
        }
    }

    private int arrival(String plate) throws SQLException {
        try (PreparedStatement statement = db.prepareStatement(FIND)) {
            statement.setString(1, plate);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getInt("since");
            }
        }
    }

    private void remove(String plate) throws SQLException {
        try (PreparedStatement statement = db.prepareStatement(DELETE)) {
            statement.setString(1, plate);
            statement.executeUpdate();
        }
    }
}

class Harmless2Gate implements Gate {
    private interface Use<T> {
        T of(PreparedStatement p) throws SQLException;
    }

    private record Db(Connection c) {
        <T> T with(String sql, Use<T> use) throws SQLException {
            try (PreparedStatement p = c.prepareStatement(sql)) {
                return use.of(p);
            }
        }
    }

    private final Db db;

    Harmless2Gate(Connection c) throws SQLException {
        db = new Db(c);
        Gate.create(c, "primary key");
    }

    public void enter(String plate, int minute) throws SQLException {
        db.with("insert into stay values(?, ?)", p -> {
            p.setString(1, plate);
            p.setInt(2, minute);
            return p.executeUpdate();
        });
    }

    public int leave(String plate, int minute) throws SQLException {
        int since = db.with("select since from stay where plate = ?", p -> {
            p.setString(1, plate);
            ResultSet r = p.executeQuery();
            r.next();
            return r.getInt(1);
        });
        db.with("delete from stay where plate = ?", p -> {
            p.setString(1, plate);
            return p.executeUpdate();
        });
        return Main.fee(minute - since);
    }

    public int inside() throws SQLException { return Gate.count(db.c()); }
}

/** Statements prepared once. */
class BetterGate implements Gate {
    private final Connection c;
    private final PreparedStatement insert, find, delete;

    BetterGate(Connection c) throws SQLException {
        this.c = c;
        Gate.create(c, "primary key");
        insert = c.prepareStatement("insert into stay values(?, ?)");
        find = c.prepareStatement("select since from stay where plate = ?");
        delete = c.prepareStatement("delete from stay where plate = ?");
    }

    public void enter(String plate, int minute) throws SQLException {
        insert.setString(1, plate);
        insert.setInt(2, minute);
        insert.executeUpdate();
    }

    public int leave(String plate, int minute) throws SQLException {
        find.setString(1, plate);
        ResultSet r = find.executeQuery();
        r.next();
        int since = r.getInt(1);
        delete.setString(1, plate);
        delete.executeUpdate();
        return Main.fee(minute - since);
    }

    public int inside() throws SQLException { return Gate.count(c); }
}
