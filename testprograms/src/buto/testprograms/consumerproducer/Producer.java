package buto.testprograms.consumerproducer;

import java.util.List;
import java.util.concurrent.BlockingQueue;

/** Puts lists of students into the buffer as fast as it takes them. */
final class Producer implements Runnable {
    private final BlockingQueue<List<Student>> buffer;
    private final StudentFactory factory;
    private final int students;

    Producer(BlockingQueue<List<Student>> buffer, StudentFactory factory, int students) {
        this.buffer = buffer;
        this.factory = factory;
        this.students = students;
    }

    @Override
    public void run() {
        try {
            while (true) {
                buffer.put(factory.students(students));
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
