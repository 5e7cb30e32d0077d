import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.commons.io.monitor.FileAlterationMonitor;
import org.apache.commons.io.monitor.FileAlterationObserver;

/** Watches a directory for a while, each time with a monitor of its own, which is stopped. */
final class IoMonitors {
    private static final int MONITORS = 80;

    public static void main(String[] args) throws Exception {
        Path directory = Files.createTempDirectory("watched");
        for (int i = 0; i < MONITORS; i++) {
            FileAlterationMonitor monitor =
                    new FileAlterationMonitor(60_000, new FileAlterationObserver(directory.toFile()));
            AtomicReference<Thread> thread = new AtomicReference<>();
            monitor.setThreadFactory(work -> daemon(work, thread));
            monitor.start();
            while (thread.get().getState() != Thread.State.TIMED_WAITING) {
                Thread.sleep(1);
            }
            monitor.stop(5);
        }
        Files.delete(directory);
        // Threads that were interrupted need a moment to end.
        Thread.sleep(300);
        Use.print();
    }

    private static Thread daemon(Runnable work, AtomicReference<Thread> made) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        made.set(thread);
        return thread;
    }
}
