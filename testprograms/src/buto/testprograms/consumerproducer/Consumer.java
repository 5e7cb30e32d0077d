package buto.testprograms.consumerproducer;

import java.util.List;
import java.util.concurrent.BlockingQueue;

/** Takes lists of students from the buffer, makes a page of each and files it. */
final class Consumer implements Runnable {
    private final BlockingQueue<List<Student>> buffer;
    private final Counter counter;
    private final Archive archive;
    private final Pause pause;

    Consumer(BlockingQueue<List<Student>> buffer, Counter counter, Archive archive, Pause pause) {
        this.buffer = buffer;
        this.counter = counter;
        this.archive = archive;
        this.pause = pause;
    }

    @Override
    public void run() {
        try {
            while (true) {
                String page = Page.of(buffer.take());
                archive.file(page, counter.increase());
                pause.await();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }
}
