package buto.testprograms.references;

import buto.testprograms.launch.Arguments;
import buto.testprograms.launch.Ticker;
import java.util.Random;

/** Creates a fixed number of objects for a manager in each tick, for ever. */
final class Creator {
    private final ObjectManager manager;
    private final Random random;
    private final long rate;
    private final long tick;
    private final int objectSize;
    private volatile long created;

    Creator(ObjectManager manager, Arguments arguments) {
        this.manager = manager;
        this.random = new Random(arguments.integer("seed"));
        this.rate = arguments.integer("rate");
        this.tick = arguments.nanos("tick");
        this.objectSize = arguments.integer("object-size");
    }

    void run() {
        Ticker ticker = new Ticker(tick);
        for (long ticks = 1; ; ticks++) {
            ticker.await();
            long due = ticks * tick / 1000 * rate / 1_000_000;
            for (long missing = due - created; missing > 0; missing--) {
                manager.add(new byte[objectSize / 2 + random.nextInt(objectSize)]);
            }
            created = due;
        }
    }

    String summary() {
        return "created " + created + " objects";
    }
}
