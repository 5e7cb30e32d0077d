package buto.testprograms.consumerproducer;

import java.util.List;
import java.util.concurrent.BlockingQueue;

/** Takes lists of students from the buffer, makes a page of each and files it. */
final class Consumer implements Runnable {
    private final BlockingQueue<List<Student>> buffer;
    private final Counter counter;
    private final Archive archive;

    Consumer(BlockingQueue<List<Student>> buffer, Counter counter, Archive archive) {
        this.buffer = buffer;
        this.counter = counter;
        this.archive = archive;
    }

    @Override
    public void run() {
        try {
            while (true) {
                String page = Page.of(buffer.take());
                archive.file(page, counter.increase());
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
