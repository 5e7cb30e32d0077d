import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import javax.sql.DataSource;

final class SourcesBetter implements Sources {
    private final Map<String, HikariDataSource> pools = new HashMap<>();
    private final ScheduledExecutorService housekeeper = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "pools");
        thread.setDaemon(true);
        return thread;
    });

    @Override public void open(List<String> sites) {
        for (String site : sites) pools.put(site, pool(site));
    }

    private HikariDataSource pool(String name) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(Main.URL);
        config.setPoolName(name);
        config.setMaximumPoolSize(1);
        config.setMinimumIdle(1);
        config.setScheduledExecutor(housekeeper);
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
                    if (r.getInt(2) == 0) return 0;
                    return r.getLong(1);
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
        for (HikariDataSource pool : pools.values()) pool.close();
        housekeeper.shutdown();
    }
}
