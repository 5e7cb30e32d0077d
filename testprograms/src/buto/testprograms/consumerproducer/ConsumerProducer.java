package buto.testprograms.consumerproducer;

import buto.testprograms.launch.Arguments;
import buto.testprograms.launch.ExitAfter;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** Producers of student lists and consumers that make pages of them, with a bounded buffer between. */
public final class ConsumerProducer {
    private ConsumerProducer() {
    }

    /** Starts all threads and returns; they end with the JVM. */
    public static void main(String[] line) throws JMException {
        Arguments arguments = new Arguments(ConsumerProducer.class)
            .count("producers", 10, "threads that invent lists of students")
            .count("consumers", 10, "threads that make pages of them")
            .count("buffer-size", 10, "lists that fit between them")
            .count("students", 100, "students in one list")
            .pause("pause", "20ms", "mean time that a thread waits after each job; 0ms for none")
            .count("log-interval", 250, "jobs from one notification to the next")
            .number("leak-every", 0, "keep one page in so many for ever; 0 keeps none")
            .parse(line);
        int bufferSize = arguments.integer("buffer-size");
        BlockingQueue<List<Student>> buffer = new ArrayBlockingQueue<>(bufferSize);
        Counter counter = new Counter(arguments.integer("log-interval"));
        Archive archive = new Archive(arguments.integer("leak-every"));
        register("Production", new Production(buffer, bufferSize, counter));
        register("Counter", counter);
        ExitAfter.start(arguments.nanos("duration"),
            () -> "processed " + counter.getProcessedJobs() + " jobs, leaked " + archive.size() + " pages");
        // The multiplier keeps the workers of neighbouring seeds apart.
        long seed = arguments.integer("seed") * 1_000_003L;
        long pause = arguments.nanos("pause");
        for (int index = 0; index < arguments.integer("producers"); index++, seed++) {
            StudentFactory factory = new StudentFactory(seed);
            int students = arguments.integer("students");
            new Thread(new Producer(buffer, factory, students, new Pause(seed, pause)), "producer-" + index).start();
        }
        for (int index = 0; index < arguments.integer("consumers"); index++, seed++) {
            new Thread(new Consumer(buffer, counter, archive, new Pause(seed, pause)), "consumer-" + index).start();
        }
    }

    private static void register(String type, Object bean) throws JMException {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        server.registerMBean(bean, new ObjectName("buto.testprograms:type=" + type));
    }
}
