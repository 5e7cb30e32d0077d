import java.util.concurrent.CountDownLatch;
import org.springframework.util.MimeTypeUtils;

/** Parses the types of messages in several threads at once, more types than a cache keeps. */
final class SpringMimeTypes {
    private static final int THREADS = 8;
    private static final int MESSAGES = 60_000;
    private static final int TYPES = 100;

    public static void main(String[] args) throws Exception {
        var done = new CountDownLatch(THREADS);
        var end = new CountDownLatch(1);
        for (int i = 0; i < THREADS; i++) {
            int first = i;
            var worker = new Thread(() -> {
                for (int n = 0; n < MESSAGES; n++) {
                    MimeTypeUtils.parseMimeType("multipart/form-data; boundary=shop" + (first + n) % TYPES);
                }
                done.countDown();
                awaiting(end);
            });
            worker.setDaemon(true);
            worker.start();
        }
        done.await();
        Use.print(end);
    }

    private static void awaiting(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
