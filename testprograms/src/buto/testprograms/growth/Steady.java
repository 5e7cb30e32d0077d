package buto.testprograms.growth;

import java.io.FileInputStream;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.WeakHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.Deflater;
import javax.management.ObjectName;

/** What warms up, fills, comes and goes, and ends. */
final class Steady {
    private static final int FEW = 200;

    private static final List<Object> KEPT = new ArrayList<>();
    private static final Map<Object, Object> BY_KEY = new HashMap<>();
    private static final Map<Object, Object> WEAK = new WeakHashMap<>();
    private static final ArrayDeque<Object> RECENT = new ArrayDeque<>();
    private static final Random CHANCE = new Random(1);

    private Steady() {
    }

    static Map<String, Habit> all() {
        Map<String, Habit> all = new LinkedHashMap<>();
        all.put("nothing", number -> { });
        all.put("lru-cache", lru());
        all.put("bounded-queue", number -> remember(4 * FEW));
        all.put("interned-words", number -> intern());
        all.put("memo-of-all-keys", number -> memo());
        all.put("warm-up", number -> warmUp(number));
        all.put("thread-pool", threadPool());
        all.put("short-threads", number -> startAndJoin());
        all.put("pool-of-files", number -> pool());
        all.put("files-in-turn", number -> openAndClose());
        all.put("sessions-by-chance", number -> sessions());
        all.put("sessions-that-expire", number -> remember(2 * FEW + CHANCE.nextInt(FEW)));
        all.put("weak-listeners", number -> weakListeners());
        all.put("redeployed", redeployed());
        all.put("buffers-in-turn", number -> buffer());
        all.put("deflaters-in-turn", number -> deflate());
        all.put("pool-of-deflaters", number -> poolOfDeflaters());
        all.put("batch", number -> batch(number));
        all.put("mbeans-in-turn", number -> registerAndRemove(number));
        all.put("proxies-of-one-class", number -> KEPT.set(0, proxy()));
        all.put("one-buffer-that-grows", oneBuffer());
        all.put("first-come", number -> firstCome());
        KEPT.add(null);
        return all;
    }

    private static Habit lru() {
        Map<Integer, Leaks.Order> cache = new LinkedHashMap<Integer, Leaks.Order>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Integer, Leaks.Order> eldest) {
                return size() > 3 * FEW;
            }
        };
        return number -> {
            for (int each = 0; each < FEW; each++) {
                cache.put(number * FEW + each, new Leaks.Order());
            }
        };
    }

    private static void remember(int most) {
        for (int each = 0; each < FEW; each++) {
            RECENT.add(new Leaks.Order());
        }
        while (RECENT.size() > most) {
            RECENT.remove();
        }
    }

    /** Words as in a text: few are frequent, and new ones come ever more seldom. */
    private static void intern() {
        for (int each = 0; each < 10 * FEW; each++) {
            int rank = (int) (1 / (CHANCE.nextDouble() + 1e-3));
            KEPT.set(0, ("word " + rank).intern());
            BY_KEY.put(("word " + rank).intern(), "known");
        }
    }

    private static void memo() {
        for (int each = 0; each < FEW; each++) {
            BY_KEY.computeIfAbsent(CHANCE.nextInt(3 * FEW), key -> new Leaks.Order());
        }
    }

    /** Uses more of the JDK, in the first rounds above all. */
    private static void warmUp(int number) {
        int kinds = Math.min(number + 1, 4);
        for (int each = 0; each < FEW; each++) {
            int modulus = each % kinds + 1;
            KEPT.set(0, IntStream.range(0, 50).boxed().filter(one -> one % modulus == 0)
                .collect(Collectors.groupingBy(one -> one % 7)));
            KEPT.set(0, Pattern.compile("(a|b)*c{1," + modulus + "}").matcher("ababcc").matches());
            KEPT.set(0, String.format("%05d %s", each, modulus));
        }
    }

    private static Habit threadPool() {
        ExecutorService pool = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            return thread;
        });
        return number -> {
            List<Future<?>> tasks = new ArrayList<>();
            for (int task = 0; task < Math.min(2 * number + 2, 6); task++) {
                tasks.add(pool.submit(() -> new byte[FEW].length));
            }
            for (Future<?> task : tasks) {
                task.get();
            }
        };
    }

    private static void startAndJoin() throws InterruptedException {
        for (int each = 0; each < 5; each++) {
            Thread thread = new Thread(() -> KEPT.set(0, new Leaks.Order()));
            thread.start();
            thread.join();
        }
    }

    private static void pool() throws Exception {
        if (RECENT.size() < 4) {
            RECENT.add(new FileInputStream("/dev/null"));
        }
    }

    private static void openAndClose() throws Exception {
        for (int each = 0; each < 5; each++) {
            try (FileInputStream in = new FileInputStream("/dev/zero")) {
                KEPT.set(0, in.read());
            }
        }
    }

    /** Each of those that are alive ends by chance, a third of them in a round. */
    private static void sessions() {
        for (Object session : new ArrayList<>(BY_KEY.keySet())) {
            if (CHANCE.nextInt(3) == 0) {
                BY_KEY.remove(session);
            }
        }
        int arrivals = FEW / 2 + CHANCE.nextInt(FEW);
        for (int each = 0; each < arrivals; each++) {
            BY_KEY.put(CHANCE.nextLong(), new Leaks.Order());
        }
    }

    private static void weakListeners() {
        for (int each = 0; each < FEW; each++) {
            WEAK.put(new Leaks.Order(), "listens");
        }
    }

    private static Habit redeployed() {
        return number -> KEPT.set(0, new Leaks.Loader().loadClass(Leaks.Copied.class.getName()));
    }

    private static void buffer() {
        KEPT.set(0, ByteBuffer.allocateDirect(1 << 18));
    }

    private static void deflate() {
        for (int each = 0; each < 5; each++) {
            Deflater deflater = Leaks.used(new Deflater());
            deflater.end();
            KEPT.set(0, Leaks.used(new Deflater()));
        }
    }

    private static void poolOfDeflaters() {
        if (RECENT.size() < 5) {
            RECENT.add(Leaks.used(new Deflater()));
        }
        KEPT.set(0, RECENT.size());
    }

    private static void batch(int number) {
        if (number % 5 == 4) {
            RECENT.clear();
        }
        for (int each = 0; each < FEW; each++) {
            RECENT.add(new Leaks.Order());
        }
    }

    private static void registerAndRemove(int number) throws Exception {
        ObjectName name = new ObjectName("buto.testprograms:type=Pool,name=pool-" + number);
        ManagementFactory.getPlatformMBeanServer().registerMBean(new Leaks.Pool(), name);
        ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
    }

    private static Object proxy() {
        Class<?>[] types = {Runnable.class};
        return Proxy.newProxyInstance(Steady.class.getClassLoader(), types, (self, method, arguments) -> null);
    }

    private static Habit oneBuffer() {
        BitSet seen = new BitSet();
        StringBuilder text = new StringBuilder();
        return number -> {
            text.setLength(0);
            for (int each = 0; each < 10 * FEW * Math.min(number + 1, 4); each++) {
                seen.set(each);
                text.append("line ").append(each);
            }
        };
    }

    /** A table of all who ever came, of a few hundred who can. */
    private static void firstCome() {
        for (int each = 0; each < FEW; each++) {
            BY_KEY.putIfAbsent("customer " + CHANCE.nextInt(2 * FEW), new Leaks.Order());
        }
    }
}
