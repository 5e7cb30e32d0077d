import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import ognl.Ognl;

/** Evaluates an expression of parameters in a map in several threads, which still live when the use is printed. */
final class OgnlThreads {
    private static final int THREADS = 8;
    private static final int EVALUATIONS = 400_000;

    public static void main(String[] args) throws Exception {
        Object expression = Ognl.parseExpression("count * price");
        var order = Map.of("count", 3, "price", 14);
        var done = new CountDownLatch(THREADS);
        var end = new CountDownLatch(1);
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < THREADS; i++) {
            var thread = new Thread(() -> {
                evaluate(expression, order);
                done.countDown();
                try {
                    end.await();
                } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                }
            });
            threads.add(thread);
            thread.start();
        }
        done.await();
        Use.print(threads);
        end.countDown();
    }

    private static void evaluate(Object expression, Map<String, Integer> order) {
        try {
            for (int i = 0; i < EVALUATIONS; i++) {
                Ognl.getValue(expression, order);
            }
        } catch (Exception failed) {
            throw new IllegalStateException(failed);
        }
    }
}
