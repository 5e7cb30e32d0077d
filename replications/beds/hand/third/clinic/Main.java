import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** A day of a group of clinics: appointments by site, occupation of the wards, claims for the insurers. */
public class Main {
    static final String URL = "jdbc:h2:mem:clinic;DB_CLOSE_DELAY=-1";
    static final List<String> SITES = List.of("north", "south", "harbour", "hill", "station", "park");
    static final List<String> INSURERS = List.of("alba", "boreas", "ceres", "dione", "egeria", "flora", "gaia", "hestia");
    /** The clinic goes on after the day: what is open stays open. */
    static Sources sources;

    public static void main(String[] args) throws Exception {
        fill();
        sources = Choice.of(Sources.class, "Sources", args[0]);
        sources.open(SITES);
        long claims = 0;
        for (String insurer : INSURERS) claims += sources.claims(insurer);
        System.out.println("claims " + claims);

        Map<String, List<int[]>> bySite = new LinkedHashMap<>();
        for (String site : SITES) bySite.put(site, appointments(sources.site(site), site));
        List<Thread> threads = new ArrayList<>();
        ExecutorService pool = Executors.newFixedThreadPool(2, task -> {
            Thread thread = new Thread(task, "clerk");
            threads.add(thread);
            return thread;
        });
        List<Future<Long>> gaps = new ArrayList<>();
        for (List<int[]> list : bySite.values()) gaps.add(pool.submit(() -> idle(list)));
        long idle = 0;
        for (Future<Long> f : gaps) idle += f.get();
        pool.shutdown();
        for (Thread thread : threads) thread.join();
        System.out.println("sites " + bySite.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue().size()).collect(Collectors.joining(" ")));
        System.out.println("idle minutes " + idle);

        long minutes = 0;
        for (int ward = 0; ward < 24; ward++) minutes += sources.ward(ward);
        System.out.println("minutes " + minutes);
    }

    private static void fill() throws SQLException {
        Random random = new Random(4711);
        try (Connection c = DriverManager.getConnection(URL); Statement s = c.createStatement()) {
            s.execute("create table appointment(id int primary key, site varchar(20), ward int, starts int, minutes int, insurer varchar(20), cents int)");
            s.execute("create index ward_index on appointment(ward)");
            s.execute("create index insurer_index on appointment(insurer)");
            try (PreparedStatement p = c.prepareStatement("insert into appointment values(?,?,?,?,?,?,?)")) {
                for (int i = 0; i < 3000; i++) {
                    p.setInt(1, i);
                    p.setString(2, SITES.get(random.nextInt(SITES.size())));
                    p.setInt(3, random.nextInt(24));
                    p.setInt(4, random.nextInt(14 * 24 * 60));
                    p.setInt(5, 10 + random.nextInt(50));
                    p.setString(6, INSURERS.get(random.nextInt(5)));
                    p.setInt(7, 1000 + random.nextInt(20000));
                    p.addBatch();
                    if (i % 500 == 499) p.executeBatch();
                }
            }
        }
    }

    private static List<int[]> appointments(DataSource source, String site) throws SQLException {
        List<int[]> result = new ArrayList<>();
        try (Connection c = source.getConnection(); PreparedStatement p = c.prepareStatement("select starts, minutes from appointment where site = ? order by starts, id")) {
            p.setString(1, site);
            try (ResultSet r = p.executeQuery()) {
                while (r.next()) result.add(new int[] {r.getInt(1), r.getInt(2)});
            }
        }
        return result;
    }

    private static long idle(List<int[]> list) {
        long sum = 0;
        int end = 0;
        for (int[] a : list) {
            if (a[0] > end) sum += a[0] - end;
            end = Math.max(end, a[0] + a[1]);
        }
        return sum;
    }
}
