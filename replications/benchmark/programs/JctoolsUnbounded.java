import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jctools.queues.SpscUnboundedArrayQueue;

/** Fills queues with as many elements as their first part takes. */
final class JctoolsUnbounded {
    private static final int QUEUES = 100_000;
    private static final int ELEMENTS = 15;

    public static void main(String[] args) throws Exception {
        List<Queue<Integer>> kept = new ArrayList<>();
        for (int i = 0; i < QUEUES; i++) {
            Queue<Integer> queue = new SpscUnboundedArrayQueue<>(16);
            for (int element = 0; element < ELEMENTS; element++) {
                queue.offer(element);
            }
            kept.add(queue);
        }
        Use.print(kept);
    }
}
