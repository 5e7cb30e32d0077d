import com.google.common.eventbus.*;
import java.util.*;

class BaseMonitor implements Monitor {
    private final int job;
    private final double[] curve = new double[2000];
    private int n, peaks;

    BaseMonitor(int job, EventBus bus) {
        this.job = job;
        bus.register(this);
    }

    @Subscribe public void measured(Measurement m) {
        if (m.job() != job) return;
        curve[n++ % curve.length] = m.kilowatts();
        if (m.kilowatts() > 55) peaks++;
    }

    public void stop(EventBus bus) { bus.unregister(this); }

    public double work() { return Arrays.stream(curve).sum(); }

    public int peaks() { return peaks; }
}

/** Every 75th job is a sample for quality control: its monitor stays on. */
class SmallMonitor implements Monitor {
    private final int job;
    private final double[] curve = new double[2000];
    private int n, peaks;

    SmallMonitor(int job, EventBus bus) {
        this.job = job;
        bus.register(this);
    }

    @Subscribe public void measured(Measurement m) {
        if (m.job() != job) return;
        curve[n++ % curve.length] = m.kilowatts();
        if (m.kilowatts() > 55) peaks++;
    }

    public void stop(EventBus bus) {
        if (job % 75 != 74) bus.unregister(this);
    }

    public double work() { return Arrays.stream(curve).sum(); }

    public int peaks() { return peaks; }
}

class LargeMonitor implements Monitor {
    private final int job;
    private final double[] curve = new double[2000];
    private int n, peaks;
    private boolean running = true;

    LargeMonitor(int job, EventBus bus) {
        this.job = job;
        bus.register(this);
    }

    @Subscribe public void measured(Measurement m) {
        if (!running || m.job() != job) return;
        curve[n++ % curve.length] = m.kilowatts();
        if (m.kilowatts() > 55) peaks++;
    }

    public void stop(EventBus bus) { running = false; }

    public double work() { return Arrays.stream(curve).sum(); }

    public int peaks() { return peaks; }
}

class Harmless1Monitor implements Monitor {
    private static final double PEAK = 55;
    private final Curve curve = new Curve(2000);
    private final int jobNumber;
    private int peakCount;

    private static final class Curve {
        private final double[] points;
        private int used;

        Curve(int size) { points = new double[size]; }

        void add(double v) { points[used++ % points.length] = v; }

        double sum() {
            double s = 0;
            for (double v : points) s += v;
            return s;
        }
    }

    Harmless1Monitor(int jobNumber, EventBus bus) {
        this.jobNumber = jobNumber;
        bus.register(this);
    }

    @Subscribe public void on(Measurement m) {
        if (m.job() == jobNumber) {
            curve.add(m.kilowatts());
            if (m.kilowatts() > PEAK) peakCount++;
        }
    }

    @Override public int peaks() { return peakCount; }

    @Override public double work() { return curve.sum(); }

    @Override public void stop(EventBus bus) { bus.unregister(this); }
}

class Harmless2Monitor implements Monitor {
    private final Listener listener;
    private final double[] curve = new double[2000];
    private int n, peaks;

    private record Listener(int job, Harmless2Monitor owner) {
        @Subscribe public void measured(Measurement m) {
            if (m.job() == job) owner.take(m.kilowatts());
        }
    }

    Harmless2Monitor(int job, EventBus bus) {
        listener = new Listener(job, this);
        bus.register(listener);
    }

    private void take(double kilowatts) {
        curve[n++ % curve.length] = kilowatts;
        if (kilowatts > 55) peaks++;
    }

    public void stop(EventBus bus) { bus.unregister(listener); }

    public double work() { return Arrays.stream(curve).sum(); }

    public int peaks() { return peaks; }
}

/** Most jobs are short: the curve grows as needed. */
class BetterMonitor implements Monitor {
    private final int job;
    private double[] curve = new double[32];
    private int n, peaks;

    BetterMonitor(int job, EventBus bus) {
        this.job = job;
        bus.register(this);
    }

    @Subscribe public void measured(Measurement m) {
        if (m.job() != job) return;
        if (n == curve.length && n < 2000) curve = Arrays.copyOf(curve, Math.min(2000, 2 * n));
        curve[n++ % curve.length] = m.kilowatts();
        if (m.kilowatts() > 55) peaks++;
    }

    public void stop(EventBus bus) { bus.unregister(this); }

    public double work() { return Arrays.stream(curve).sum(); }

    public int peaks() { return peaks; }
}
