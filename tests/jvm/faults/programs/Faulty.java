import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** Works a little, makes the trouble that its first argument names, and works a little again. */
public final class Faulty {
    private static final int WORK_STEPS = 25;

    private static List<Object> kept = new ArrayList<>();
    private static volatile long burnUntil;
    private static volatile long burnt;

    private Faulty() {}

    public static void main(String[] arguments) throws Exception {
        String when = arguments.length > 1 ? arguments[1] : "";
        if (!when.equals("start")) {
            work();
        }
        make(arguments[0], when);
        work();
        System.out.println("done");
    }

    /** A quarter of a second, in steps, so that a stop of the process shortens at most one of them. */
    private static void work() throws InterruptedException {
        for (int step = 0; step < WORK_STEPS; step++) {
            Thread.sleep(10);
        }
    }

    private static void make(String trouble, String argument) throws Exception {
        switch (trouble) {
            case "kill":
                end(argument, Faulty::kill);
                break;
            case "halt":
                end(argument, () -> Runtime.getRuntime().halt(9));
                break;
            case "nothing":
                for (int times = 0; times < 6; times++) {
                    work();
                }
                break;
            case "fill":
                fill();
                break;
            case "fill for good":
                while (true) {
                    kept.add(new long[1000]);
                }
            case "threads":
                burn(Integer.parseInt(argument));
                break;
            case "collect":
                System.gc();
                break;
            case "stop":
                stop(Long.parseLong(argument));
                break;
            case "set clock back":
                System.out.println(System.currentTimeMillis());
                new File(argument).createNewFile();
                System.out.println(System.currentTimeMillis());
                break;
            case "close streams":
                closeStreams();
                break;
            case "deny":
                deny();
                break;
            case "unhook":
                unhook();
                break;
            case "say":
                System.out.println(System.getenv(argument));
                break;
            case "children":
                bear(Integer.parseInt(argument));
                break;
            default:
                throw new IllegalArgumentException(trouble);
        }
    }

    /** Now, or from an exit hook beside the agent's own. */
    private static void end(String when, Runnable how) throws InterruptedException {
        if (when.equals("end")) {
            Runtime.getRuntime().addShutdownHook(new Thread(how));
        } else {
            how.run();
        }
    }

    private static void kill() {
        String self = ManagementFactory.getRuntimeMXBean().getName();
        try {
            new ProcessBuilder("kill", "-9", self.substring(0, self.indexOf('@'))).start().waitFor();
            Thread.sleep(60_000);
        } catch (Exception failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static void fill() {
        try {
            while (true) {
                kept.add(new long[1000]);
            }
        } catch (OutOfMemoryError survived) {
            kept = null;
        }
    }

    /** So many threads that want a core, all at once, for a second and a half. */
    private static void burn(int count) throws InterruptedException {
        CountDownLatch ready = new CountDownLatch(count);
        CountDownLatch begin = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(null, () -> burnAfter(ready, begin), "burner", 1 << 17);
            threads.add(thread);
            thread.start();
        }
        ready.await();
        Thread.sleep(100);
        burnUntil = System.nanoTime() + 1_500_000_000L;
        begin.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static void burnAfter(CountDownLatch ready, CountDownLatch begin) {
        ready.countDown();
        try {
            begin.await();
        } catch (InterruptedException unexpected) {
            throw new IllegalStateException(unexpected);
        }
        while (System.nanoTime() < burnUntil) {
            burnt++;
        }
    }

    /**
     * Every thread stands still until one has come to the end of a loop without a safepoint, for which
     * the JVM needs {@code -XX:-UseCountedLoopSafepoints}; that is no garbage collection.
     */
    private static void stop(long milliseconds) throws InterruptedException {
        for (int warm = 0; warm < 1000; warm++) {
            spin(1);
        }
        Thread other = new Thread(() -> spin(milliseconds));
        other.start();
        Thread.sleep(50);
        System.gc();
        other.join();
    }

    private static void spin(long milliseconds) {
        long end = System.nanoTime() + milliseconds * 1_000_000;
        for (int i = 0; i < Integer.MAX_VALUE; i++) {
            if (System.nanoTime() > end) {
                break;
            }
        }
    }

    private static void closeStreams() throws Exception {
        System.in.close();
        System.out.close();
        System.err.close();
        new FileInputStream(FileDescriptor.in).close();
        new FileOutputStream(FileDescriptor.out).close();
        new FileOutputStream(FileDescriptor.err).close();
    }

    private static void deny() {
        System.setSecurityManager(new SecurityManager() {
            @Override
            public void checkPermission(java.security.Permission permission) {
                throw new SecurityException("nobody may do anything: " + permission);
            }
        });
    }

    private static void unhook() throws Exception {
        Field hooks = Class.forName("java.lang.ApplicationShutdownHooks").getDeclaredField("hooks");
        hooks.setAccessible(true);
        ((Map<?, ?>) hooks.get(null)).clear();
    }

    /** So many JVMs with the options of this one, one after the other; it repeats what they print. */
    private static void bear(int count) throws Exception {
        String java = System.getProperty("java.home") + "/bin/java";
        for (int i = 0; i < count; i++) {
            List<String> command = new ArrayList<>();
            command.add(java);
            command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
            command.add("-cp");
            command.add(System.getProperty("java.class.path"));
            command.add("Child");
            new ProcessBuilder(command).inheritIO().start().waitFor();
        }
    }
}
