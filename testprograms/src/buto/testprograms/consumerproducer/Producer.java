package buto.testprograms.consumerproducer;

import java.util.List;
import java.util.concurrent.BlockingQueue;

/** Puts lists of students into the buffer. */
final class Producer implements Runnable {
    private final BlockingQueue<List<Student>> buffer;
    private final StudentFactory factory;
    private final int students;
    private final Pause pause;

    Producer(BlockingQueue<List<Student>> buffer, StudentFactory factory, int students, Pause pause) {
        this.buffer = buffer;
        this.factory = factory;
        this.students = students;
        this.pause = pause;
    }

    @Override
    public void run() {
        try {
            while (true) {
                buffer.put(factory.students(students));
                pause.await();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
