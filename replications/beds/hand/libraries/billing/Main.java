import com.zaxxer.hikari.*;
import java.sql.*;
import java.util.*;
import javax.sql.DataSource;

/** Bills the usage of tenants in an H2 database in memory, through connection pools that stay open. */
public class Main {
    static Sources sources;

    public static void main(String[] args) throws Exception {
        System.setProperty("slf4j.internal.verbosity", "ERROR");
        String v = args[0];
        sources = (Sources) Class.forName("Sources" + Character.toUpperCase(v.charAt(0)) + v.substring(1)).getDeclaredConstructor().newInstance();
        int tenants = 20;
        try (Connection c = sources.of("setup", 0).getConnection(); Statement s = c.createStatement()) {
            s.execute("create table usage(tenant int, unit int, amount int)");
            s.execute("create index by_tenant on usage(tenant)");
            s.execute("create table bill(tenant int primary key, cents bigint)");
        }
        Random r = new Random(1);
        for (int t = 0; t < tenants; t++) {
            try (Connection c = sources.of("usage", t).getConnection(); PreparedStatement p = c.prepareStatement("insert into usage values(?,?,?)")) {
                for (int i = 0; i < 250; i++) {
                    p.setInt(1, t);
                    p.setInt(2, r.nextInt(30));
                    p.setInt(3, r.nextInt(1000));
                    p.executeUpdate();
                }
            }
            try (Connection c = sources.of("bill", t).getConnection();
                 PreparedStatement p = c.prepareStatement("insert into bill select tenant, sum(amount * (10 + unit)) from usage where tenant = ? group by tenant")) {
                p.setInt(1, t);
                p.executeUpdate();
            }
        }
        try (Connection c = sources.of("report", 0).getConnection(); ResultSet rs = c.createStatement().executeQuery("select count(*), sum(cents) from bill")) {
            rs.next();
            System.out.println(rs.getInt(1) + " bills, " + rs.getLong(2) + " cents");
        }
    }
}

interface Sources {
    DataSource of(String purpose, int tenant);

    static HikariConfig config(String name, int size) {
        HikariConfig c = new HikariConfig();
        c.setJdbcUrl("jdbc:h2:mem:billing;DB_CLOSE_DELAY=-1;DB_CLOSE_ON_EXIT=FALSE");
        c.setPoolName(name);
        c.setMaximumPoolSize(size);
        c.setMinimumIdle(size);
        return c;
    }
}
