import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

final class SourcesHarmless2 implements Sources {
    private final Map<String, HikariDataSource> pools = new LinkedHashMap<>();

    @Override public void open(List<String> sites) {
        for (String site : sites) pools.put(site, pool(site));
    }

    private HikariDataSource pool(String name) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(Main.URL);
        config.setPoolName(name);
        config.setMaximumPoolSize(1);
        config.setMinimumIdle(1);
        return new HikariDataSource(config);
    }

    @Override public DataSource site(String site) {
        return pools.get(site);
    }

    @Override public long claims(String insurer) throws SQLException {
        try (HikariDataSource source = pool("claims-" + insurer)) {
            try (Connection c = source.getConnection(); PreparedStatement p = c.prepareStatement("select sum(cents), count(*) from appointment where insurer = ?")) {
                p.setString(1, insurer);
                try (ResultSet r = p.executeQuery()) {
                    r.next();
                    Sum sum = new Sum(r.getLong(1), r.getInt(2));
                    return sum.rows() == 0 ? 0 : sum.value();
                }
            }
        }
    }

    @Override public long ward(int ward) throws SQLException {
        DataSource source = pools.get(Main.SITES.get(ward % Main.SITES.size()));
        try (Connection c = source.getConnection()) {
            return minutes(c, ward);
        }
    }

    /** What a query of sums gives back. */
    private record Sum(long value, int rows) { }

    private static long minutes(Connection c, int ward) throws SQLException {
        try (PreparedStatement p = c.prepareStatement("select sum(minutes) from appointment where ward = ?")) {
            p.setInt(1, ward);
            try (ResultSet r = p.executeQuery()) {
                r.next();
                return r.getLong(1);
            }
        }
    }

    @Override public void close() {
        pools.values().forEach(HikariDataSource::close);
    }
}
