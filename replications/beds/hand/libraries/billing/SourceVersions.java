import com.zaxxer.hikari.*;
import java.util.*;
import javax.sql.DataSource;

/** A pool for each purpose. */
class SourcesBase implements Sources {
    private final Map<String, DataSource> pools = new HashMap<>();

    public DataSource of(String purpose, int tenant) {
        return pools.computeIfAbsent(purpose, p -> new HikariDataSource(Sources.config(p, 3)));
    }
}

/** And one for the big tenants, so that they do not block the others. */
class SourcesSmall implements Sources {
    private final Map<String, DataSource> pools = new HashMap<>();

    public DataSource of(String purpose, int tenant) {
        String name = tenant % 10 == 7 ? purpose + "-big" : purpose;
        return pools.computeIfAbsent(name, p -> new HikariDataSource(Sources.config(p, 3)));
    }
}

/** Tenants apart from each other. */
class SourcesLarge implements Sources {
    private final Map<String, DataSource> pools = new HashMap<>();

    public DataSource of(String purpose, int tenant) {
        return pools.computeIfAbsent(purpose + "-" + tenant, p -> new HikariDataSource(Sources.config(p, 3)));
    }
}

class SourcesHarmless1 implements Sources {
    private static final int SIZE = 3;
    private final SortedMap<String, HikariDataSource> byPurpose = new TreeMap<>();

    @Override public DataSource of(String purpose, int tenant) {
        HikariDataSource source = byPurpose.get(purpose);
        if (source == null) {
            source = open(purpose);
            byPurpose.put(purpose, source);
        }
        return source;
    }

    private static HikariDataSource open(String purpose) {
        HikariConfig settings = Sources.config(purpose, SIZE);
        settings.setAutoCommit(true);
        return new HikariDataSource(settings);
    }
}

class SourcesHarmless2 implements Sources {
    private record Pool(String purpose, DataSource source) { }

    private final List<Pool> pools = new ArrayList<>();

    public DataSource of(String purpose, int tenant) {
        for (Pool p : pools) if (p.purpose().equals(purpose)) return p.source();
        Pool made = new Pool(purpose, new HikariDataSource(Sources.config(purpose, 3)));
        pools.add(made);
        return made.source();
    }
}

/** One pool for all. */
class SourcesBetter implements Sources {
    private final DataSource all = new HikariDataSource(Sources.config("billing", 3));

    public DataSource of(String purpose, int tenant) {
        return all;
    }
}
