import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;

/**
 * A shop with one method that changed: {@code Shop old|new END THROWS}; END is exit, collected, halt or kill.
 * At {@code collected} it exits after a collection of everything that it keeps, which the recorder asks for.
 */
public final class Shop {
    static final Map<Integer, byte[]> SEEN = new HashMap<>();
    static final List<ByteBuffer> BUFFERS = new ArrayList<>();
    static final List<FileInputStream> FILES = new ArrayList<>();
    static final List<Object> PARTS = new ArrayList<>();
    static long sink;

    public static void main(String[] arguments) throws Exception {
        boolean changed = arguments[0].equals("new");
        long end = System.nanoTime() + (arguments[1].equals("exit") ? 0 : 1_000_000_000L);
        for (int order = 0; order < 300 || System.nanoTime() < end; order++) {
            // As many as fit into the heap, however fast the machine is.
            remember(order % (changed ? 2000 : 10));
            IntSupplier price = price(order);
            sink += price.getAsInt() + page(order).length();
        }
        for (int number = 0; number < 50; number++) {
            BUFFERS.add(reserve());
        }
        for (int number = Integer.parseInt(arguments[2]); number > 0; number--) {
            sink += refuse(number);
        }
        if (arguments[1].equals("collected")) {
            leave();
            look();
            send();
            load();
            awaitCollections(2);
        }
        // Classes are counted every half second.
        Thread.sleep(600);
        if (arguments[1].equals("halt")) {
            Runtime.getRuntime().halt(0);
        }
        if (arguments[1].equals("kill")) {
            String name = ManagementFactory.getRuntimeMXBean().getName();
            new ProcessBuilder("kill", "-9", name.split("@")[0]).start().waitFor();
        }
    }

    static void remember(int order) {
        SEEN.put(order, new byte[30_000]);
    }

    static IntSupplier price(int order) {
        return () -> {
            int price = order;
            for (int step = 0; step < 200_000; step++) {
                price = price * 31 + step;
            }
            return price;
        };
    }

    static String page(int order) {
        StringBuilder page = new StringBuilder();
        for (int line = 0; line < 200; line++) {
            page.append("line ").append(order * line);
        }
        return page.toString();
    }

    /** The second one begins after the call, so it finds all garbage. */
    static void awaitCollections(int number) throws InterruptedException {
        long until = collections() + number;
        for (int tenths = 0; collections() < until; tenths++) {
            if (tenths > 600) {
                throw new IllegalStateException("the recorder asks for no collection");
            }
            Thread.sleep(100);
        }
    }

    static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .filter(one -> one.getName().contains("Old") || one.getName().contains("MarkSweep"))
                .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                .sum();
    }

    static void leave() throws IOException {
        for (int number = 0; number < 20; number++) {
            FILES.add(new FileInputStream("/dev/null"));
        }
    }

    static void look() throws IOException {
        for (int number = 0; number < 20; number++) {
            try (FileInputStream file = new FileInputStream("/dev/null")) {
                sink += file.read();
            }
        }
    }

    /** The JDK closes the pipes of a process in a thread of its own. */
    static void send() throws IOException, InterruptedException {
        for (int number = 0; number < 7; number++) {
            sink += new ProcessBuilder("true").start().waitFor();
        }
    }

    static void load() throws ReflectiveOperationException {
        for (int number = 0; number < 20; number++) {
            Object part = new Loader().part();
            sink += part.hashCode();
            if (number < 5) {
                PARTS.add(part);
            }
        }
    }

    /** A part of the shop, which each loader defines anew. */
    public static final class Part {
    }

    static final class Loader extends ClassLoader {
        Loader() {
            super(null);
        }

        Object part() throws ReflectiveOperationException {
            try (InputStream in = Shop.class.getResourceAsStream("Shop$Part.class")) {
                byte[] code = new byte[10_000];
                return defineClass("Shop$Part", code, 0, in.read(code)).getConstructor().newInstance();
            } catch (IOException failure) {
                throw new IllegalStateException(failure);
            }
        }
    }

    static ByteBuffer reserve() {
        return ByteBuffer.allocateDirect(1000);
    }

    static int refuse(int number) {
        try {
            throw new IllegalStateException();
        } catch (IllegalStateException expected) {
            return number;
        }
    }
}
