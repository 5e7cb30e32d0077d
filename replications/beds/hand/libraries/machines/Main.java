import com.google.common.eventbus.EventBus;
import java.util.*;

/** A workshop floor: jobs run on machines, and while a job runs a monitor follows the measurements of its machine. */
public class Main {
    static final EventBus BUS = new EventBus("floor");
    static final Deque<Monitor> RUNNING = new ArrayDeque<>();

    public static void main(String[] args) {
        Random r = new Random(400);
        double work = 0;
        int peaks = 0;
        for (int job = 0; job < 1500; job++) {
            Monitor m = Monitors.start(args[0], job, BUS);
            RUNNING.addLast(m);
            for (int i = 0; i < 12; i++) BUS.post(new Measurement(job - r.nextInt(RUNNING.size()), 40 + 10 * r.nextGaussian()));
            BUS.post(new Measurement(job, 50));
            if (RUNNING.size() > 40) {
                Monitor done = RUNNING.removeFirst();
                done.stop(BUS);
                work += done.work();
                peaks += done.peaks();
            }
        }
        System.out.printf(Locale.ROOT, "work %.4f, peaks %d, running %d%n", work, peaks, RUNNING.size());
    }
}

record Measurement(int job, double kilowatts) { }

interface Monitor {
    void stop(EventBus bus);

    double work();

    int peaks();
}

class Monitors {
    static Monitor start(String version, int job, EventBus bus) {
        return switch (version) {
            case "base" -> new BaseMonitor(job, bus);
            case "small" -> new SmallMonitor(job, bus);
            case "large" -> new LargeMonitor(job, bus);
            case "harmless1" -> new Harmless1Monitor(job, bus);
            case "harmless2" -> new Harmless2Monitor(job, bus);
            case "better" -> new BetterMonitor(job, bus);
            default -> throw new IllegalArgumentException(version);
        };
    }
}
