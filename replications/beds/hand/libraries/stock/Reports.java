import java.sql.*;
import java.util.*;

class ReportBase implements Report {
    private final Connection c;

    ReportBase(Connection c) { this.c = c; }

    public Map<String, Integer> week(int first, int last) throws SQLException {
        Map<String, Integer> out = new TreeMap<>();
        try (PreparedStatement p = c.prepareStatement("select item, sum(units) from moves where day between ? and ? group by item")) {
            p.setInt(1, first);
            p.setInt(2, last);
            try (ResultSet r = p.executeQuery()) {
                while (r.next()) out.put("item " + r.getInt(1), r.getInt(2));
            }
        }
        return out;
    }
}

/** Looks first whether the Sunday has come in at all. */
class ReportSmall implements Report {
    private final Connection c;

    ReportSmall(Connection c) { this.c = c; }

    public Map<String, Integer> week(int first, int last) throws SQLException {
        Map<String, Integer> out = new TreeMap<>();
        try (PreparedStatement p = c.prepareStatement("select sum(units) from moves where day = ?")) {
            p.setInt(1, last);
            try (ResultSet r = p.executeQuery()) {
                if (!r.next() || r.getInt(1) == 0) throw new SQLException("day " + last + " is missing");
            }
        }
        try (PreparedStatement p = c.prepareStatement("select item, sum(units) from moves where day between ? and ? group by item")) {
            p.setInt(1, first);
            p.setInt(2, last);
            try (ResultSet r = p.executeQuery()) {
                while (r.next()) out.put("item " + r.getInt(1), r.getInt(2));
            }
        }
        return out;
    }
}

/** Weeks are said in SQL (which no index serves). */
class ReportLarge implements Report {
    private final Connection c;

    ReportLarge(Connection c) { this.c = c; }

    public Map<String, Integer> week(int first, int last) throws SQLException {
        Map<String, Integer> out = new TreeMap<>();
        try (PreparedStatement p = c.prepareStatement("select item, sum(units) from moves where day / 7 = ? group by item")) {
            p.setInt(1, first / 7);
            try (ResultSet r = p.executeQuery()) {
                while (r.next()) out.put("item " + r.getInt(1), r.getInt(2));
            }
        }
        return out;
    }
}

class ReportHarmless1 implements Report {
    private static final String SQL = "select item, sum(units) as units from moves where day >= ? and day <= ? group by item";
    private final Connection connection;

    ReportHarmless1(Connection connection) { this.connection = connection; }

    @Override public Map<String, Integer> week(int first, int last) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(SQL)) {
            statement.setInt(1, first);
            statement.setInt(2, last);
            try (ResultSet rows = statement.executeQuery()) {
                return collect(rows);
            }
        }
    }

    private static Map<String, Integer> collect(ResultSet rows) throws SQLException {
        Map<String, Integer> units = new HashMap<>();
        while (rows.next()) units.put("item " + rows.getInt("item"), rows.getInt("units"));
        return units;
    }
}

class ReportHarmless2 implements Report {
    private record Line(int item, int units) { }

    private final PreparedStatement query;

    ReportHarmless2(Connection c) throws SQLException {
        query = c.prepareStatement("select item, sum(units) from moves where day between ? and ? group by item");
    }

    public Map<String, Integer> week(int first, int last) throws SQLException {
        List<Line> lines = new ArrayList<>();
        query.setInt(1, first);
        query.setInt(2, last);
        try (ResultSet r = query.executeQuery()) {
            while (r.next()) lines.add(new Line(r.getInt(1), r.getInt(2)));
        }
        Map<String, Integer> out = new TreeMap<>();
        for (Line l : lines) out.put("item " + l.item(), l.units());
        return out;
    }
}

/** An index that has all that is asked for. */
class ReportBetter implements Report {
    private final Connection c;

    ReportBetter(Connection c) throws SQLException {
        this.c = c;
        try (Statement s = c.createStatement()) {
            s.execute("create index if not exists moves_report on moves(day, item, units)");
        }
    }

    public Map<String, Integer> week(int first, int last) throws SQLException {
        Map<String, Integer> out = new TreeMap<>();
        try (PreparedStatement p = c.prepareStatement("select item, sum(units) from moves indexed by moves_report where day between ? and ? group by item")) {
            p.setInt(1, first);
            p.setInt(2, last);
            try (ResultSet r = p.executeQuery()) {
                while (r.next()) out.put("item " + r.getInt(1), r.getInt(2));
            }
        }
        return out;
    }
}
