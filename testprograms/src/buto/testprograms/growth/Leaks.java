package buto.testprograms.growth;

import java.io.FileInputStream;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.DatagramSocket;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import java.util.WeakHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.Deflater;
import javax.management.ObjectName;

/** What never ends: each keeps as much in every round. */
final class Leaks {
    private static final int FEW = 200;
    private static final long FAR_DAYS = 1000;
    private static final long MEMORY = 1 << 20;

    private static final List<Object> KEPT = new ArrayList<>();
    private static final Map<Object, Object> BY_KEY = new HashMap<>();
    private static final Map<Object, Object> WEAK = new WeakHashMap<>();
    private static final ThreadLocal<List<Object>> OF_THREAD = ThreadLocal.withInitial(ArrayList::new);
    private static final LinkedBlockingQueue<Object> WAITING = new LinkedBlockingQueue<>();

    private Leaks() {
    }

    static Map<String, Habit> all() throws ReflectiveOperationException {
        Map<String, Habit> all = new LinkedHashMap<>();
        all.put("static-map", number -> repeat(each -> BY_KEY.put(number * FEW + each, new Order())));
        all.put("listeners", number -> repeat(each -> addListener(new Order())));
        all.put("thread-local", threadLocal());
        all.put("key-without-equals", number -> repeat(each -> BY_KEY.put(new Key("customer " + each), "known")));
        all.put("weak-map-of-itself", number -> repeat(each -> keepByWeakKey()));
        all.put("inner-class", number -> repeat(each -> KEPT.add(new Page().link())));
        all.put("queue-without-bound", number -> repeat(each -> WAITING.add(new Order())));
        all.put("cancelled-tasks", cancelled());
        all.put("shutdown-hooks", number -> addHooks());
        all.put("suppressed", suppressed());
        all.put("timer", timer());
        all.put("threads", number -> startIdle());
        all.put("descriptors", number -> KEPT.add(new FileInputStream("/dev/null")));
        all.put("sockets", number -> KEPT.add(new DatagramSocket()));
        all.put("random-access-files", number -> KEPT.add(new RandomAccessFile("/dev/zero", "r")));
        all.put("class-loaders", number -> KEPT.add(new Loader().loadClass(Copied.class.getName())));
        all.put("direct-buffers", number -> KEPT.add(ByteBuffer.allocateDirect(1 << 16)));
        all.put("mbeans", number -> register(number));
        all.put("deflaters", number -> keepDeflaters());
        all.put("unsafe-memory", unsafeMemory());
        all.put("sublists", number -> keepPart());
        all.put("interned-ids", number -> repeat(each -> KEPT.add(("order " + number + " " + each).intern())));
        return all;
    }

    private interface Repeated {
        void once(int each) throws Exception;
    }

    private static void repeat(Repeated repeated) throws Exception {
        for (int each = 0; each < FEW; each++) {
            repeated.once(each);
        }
    }

    private static void addListener(Order order) {
        Runnable listener = () -> order.amount++;
        KEPT.add(listener);
    }

    private static Habit threadLocal() {
        ExecutorService pool = Executors.newFixedThreadPool(2, Leaks::daemon);
        return number -> {
            for (int task = 0; task < FEW; task++) {
                pool.submit(() -> OF_THREAD.get().add(new Order())).get();
            }
        };
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    }

    private static void keepByWeakKey() {
        Order key = new Order();
        WEAK.put(key, new Object[] {key});
    }

    private static Habit cancelled() {
        ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1, Leaks::daemon);
        return number -> repeat(each -> {
            Order order = new Order();
            scheduler.schedule(() -> order.amount++, FAR_DAYS, TimeUnit.DAYS).cancel(false);
        });
    }

    private static void addHooks() {
        for (int each = 0; each < FEW; each++) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> { }));
        }
    }

    private static Habit suppressed() {
        Exception known = new Exception("the connection is lost");
        return number -> repeat(each -> known.addSuppressed(new Exception("attempt " + each)));
    }

    private static Habit timer() {
        Timer timer = new Timer(true);
        return number -> repeat(each -> {
            Order order = new Order();
            timer.schedule(new TimerTask() {
                @Override
                public void run() {
                    order.amount++;
                }
            }, TimeUnit.DAYS.toMillis(FAR_DAYS));
        });
    }

    private static void startIdle() {
        daemon(() -> {
            while (true) {
                LockSupport.park();
            }
        }).start();
    }

    private static void register(int number) throws Exception {
        ObjectName name = new ObjectName("buto.testprograms:type=Pool,name=pool-" + number);
        ManagementFactory.getPlatformMBeanServer().registerMBean(new Pool(), name);
    }

    private static void keepDeflaters() {
        for (int each = 0; each < 4; each++) {
            KEPT.add(used(new Deflater()));
        }
    }

    /** Has memory outside the heap until it is ended. */
    static Deflater used(Deflater deflater) {
        deflater.setInput(new byte[FEW]);
        deflater.deflate(new byte[FEW], 0, FEW, Deflater.SYNC_FLUSH);
        return deflater;
    }

    /** No object knows this memory, so that only who allocated it could free it. */
    private static Habit unsafeMemory() throws ReflectiveOperationException {
        Class<?> type = Class.forName("sun.misc.Unsafe");
        Field field = type.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        Object unsafe = field.get(null);
        Method allocate = type.getMethod("allocateMemory", long.class);
        Method fill = type.getMethod("setMemory", long.class, long.class, byte.class);
        return number -> {
            Object address = allocate.invoke(unsafe, MEMORY);
            fill.invoke(unsafe, address, MEMORY, (byte) 1);
        };
    }

    /** Of a large list only a part is needed, which keeps all of it. */
    private static void keepPart() {
        List<Object> all = new ArrayList<>();
        for (int each = 0; each < FEW; each++) {
            all.add(new Order());
        }
        KEPT.add(all.subList(0, 1));
    }

    static final class Order {
        private final byte[] lines = new byte[48];
        private long amount;

        int size() {
            return lines.length;
        }
    }

    /** Two of one name are two keys. */
    private static final class Key {
        private final String name;

        Key(String name) {
            this.name = name;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static final class Page {
        private final byte[] text = new byte[200];

        Object link() {
            return new Object() {
                @Override
                public String toString() {
                    return "to a page of " + text.length;
                }
            };
        }
    }

    /** What an MBean has. */
    public interface PoolMBean {
        int getSize();
    }

    /** Is registered, and never taken out. */
    public static final class Pool implements PoolMBean {
        @Override
        public int getSize() {
            return 1;
        }
    }

    /** Is loaded again and again. */
    public static final class Copied {
        private final ArrayDeque<Object> held = new ArrayDeque<>();

        public int size() {
            return held.size();
        }
    }

    /** Defines the one class itself, as an application server does for each deployment. */
    static final class Loader extends ClassLoader {
        Loader() {
            super(Leaks.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals(Copied.class.getName())) {
                return super.loadClass(name, resolve);
            }
            String file = name.replace('.', '/') + ".class";
            try (InputStream in = getResourceAsStream(file)) {
                byte[] bytes = new byte[1 << 16];
                int length = 0;
                for (int read = in.read(bytes); read > 0; read = in.read(bytes, length, bytes.length - length)) {
                    length += read;
                }
                return defineClass(name, bytes, 0, length);
            } catch (java.io.IOException unreadable) {
                throw new ClassNotFoundException(name, unreadable);
            }
        }
    }
}
