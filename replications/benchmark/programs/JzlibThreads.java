import com.jcraft.jzlib.JZlib;
import com.jcraft.jzlib.ZStream;
import java.util.Random;
import java.util.concurrent.CountDownLatch;

/** Compresses small messages in several threads at once, each for a connection of its own. */
final class JzlibThreads {
    private static final int THREADS = 8;
    private static final int MESSAGES = 15_000;

    public static void main(String[] args) throws Exception {
        byte[] message = new byte[500];
        var random = new Random(1);
        for (int i = 0; i < message.length; i++) {
            message[i] = (byte) ('a' + random.nextInt(16));
        }
        var done = new CountDownLatch(THREADS);
        var end = new CountDownLatch(1);
        for (int i = 0; i < THREADS; i++) {
            var worker = new Thread(() -> {
                compress(message);
                done.countDown();
                awaiting(end);
            });
            worker.setDaemon(true);
            worker.start();
        }
        done.await();
        Use.print(end);
    }

    @SuppressWarnings("deprecation")
    private static void compress(byte[] message) {
        var stream = new ZStream();
        stream.deflateInit(JZlib.Z_DEFAULT_COMPRESSION);
        stream.next_out = new byte[2 * message.length];
        for (int n = 0; n < MESSAGES; n++) {
            stream.next_in = message;
            stream.next_in_index = 0;
            stream.avail_in = message.length;
            stream.next_out_index = 0;
            stream.avail_out = stream.next_out.length;
            stream.deflate(JZlib.Z_PARTIAL_FLUSH);
        }
    }

    private static void awaiting(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
