import java.util.concurrent.TimeUnit;
import org.infinispan.Cache;
import org.infinispan.configuration.cache.Configuration;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.configuration.global.GlobalConfigurationBuilder;
import org.infinispan.manager.DefaultCacheManager;

/** Starts a cache manager, fills and reads caches of three kinds, and keeps them: the same work with each release. */
public final class Caches {
    private static final int ENTRIES = 3000;
    private static DefaultCacheManager manager;

    private Caches() {}

    private static long use(String name, Configuration configuration) {
        manager.defineConfiguration(name, configuration);
        Cache<String, String> cache = manager.getCache(name);
        long sum = 0;
        for (int number = 0; number < ENTRIES; number++) {
            cache.put("key" + number, "value " + number + " of " + name);
        }
        for (int number = 0; number < ENTRIES; number += 2) {
            String value = cache.get("key" + number);
            sum += value == null ? 1 : value.length();
        }
        for (int number = 0; number < ENTRIES; number += 5) {
            cache.remove("key" + number);
        }
        return sum + cache.size();
    }

    public static void main(String[] words) {
        manager = new DefaultCacheManager(new GlobalConfigurationBuilder().build());
        long sum = use("plain", new ConfigurationBuilder().build());
        sum += use("bounded", new ConfigurationBuilder().memory().maxCount(ENTRIES / 4).build());
        sum += use("expiring", new ConfigurationBuilder().expiration().lifespan(1, TimeUnit.HOURS).build());
        System.out.println(sum > 0);
        System.exit(0);
    }
}
