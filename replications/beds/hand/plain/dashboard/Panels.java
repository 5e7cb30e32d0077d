import java.util.*;
import java.util.function.Consumer;

final class BasePanel implements Panel {
    private final String title;
    private final double[] history = new double[1200];
    private final int width;
    private int n, alarms;
    private final Consumer<Tick> onTick = this::tick;
    private final Runnable onClose;

    BasePanel(String title, int width) {
        this.title = title;
        this.width = width;
        this.onClose = () -> System.out.println(title.concat(" closed by feed"));
    }

    public void attach(Feed feed) {
        feed.listen(onTick);
        feed.onClose(onClose);
    }

    public void detach(Feed feed) {
        feed.unlisten(onTick);
        feed.offClose(onClose);
    }

    private void tick(Tick t) {
        if (t.symbol() > width) return;
        history[n++ % history.length] = t.price();
        if (t.price() > 140) alarms++;
    }

    public long shown() { return n; }

    public long alarms() { return alarms; }

    @Override public String toString() { return title; }
}

final class SmallPanel implements Panel {
    private final String title;
    private final double[] history = new double[1200];
    private final int width;
    private int n, alarms;
    private final Consumer<Tick> onTick = this::tick;
    private final Runnable onClose;

    SmallPanel(String title, int width) {
        this.title = title;
        this.width = width;
        this.onClose = () -> System.out.println(title.concat(" closed by feed"));
    }

    public void attach(Feed feed) {
        feed.listen(onTick);
        feed.onClose(onClose);
    }

    public void detach(Feed feed) {
        feed.unlisten(onTick);
    }

    private void tick(Tick t) {
        if (t.symbol() > width) return;
        history[n++ % history.length] = t.price();
        if (t.price() > 140) alarms++;
    }

    public long shown() { return n; }

    public long alarms() { return alarms; }

    @Override public String toString() { return title; }
}

final class LargePanel implements Panel {
    private final String title;
    private final double[] history = new double[1200];
    private final int width;
    private int n, alarms;
    private final Consumer<Tick> onTick = this::tick;

    LargePanel(String title, int width) {
        this.title = title;
        this.width = width;
    }

    public void attach(Feed feed) {
        feed.listen(onTick);
        feed.onClose(this::feedClosed);
    }

    public void detach(Feed feed) {
        feed.unlisten(onTick);
        feed.offClose(this::feedClosed);
    }

    private void feedClosed() { System.out.println(title.concat(" closed by feed")); }

    private void tick(Tick t) {
        if (t.symbol() > width) return;
        history[n++ % history.length] = t.price();
        if (t.price() > 140) alarms++;
    }

    public long shown() { return n; }

    public long alarms() { return alarms; }

    @Override public String toString() { return title; }
}

final class Harmless1Panel implements Panel, Consumer<Tick>, Runnable {
    private static final int POINTS = 1200;
    private static final double ALARM = 140;
    private final double[] points = new double[POINTS];
    private final String name;
    private final int symbols;
    private int count;
    private int overLimit;

    Harmless1Panel(String name, int symbols) {
        this.name = name;
        this.symbols = symbols;
    }

    @Override public void accept(Tick t) {
        if (t.symbol() <= symbols) {
            points[count++ % POINTS] = t.price();
            if (t.price() > ALARM) overLimit++;
        }
    }

    @Override public void run() { System.out.println(name.concat(" closed by feed")); }

    @Override public void attach(Feed feed) {
        feed.onClose(this);
        feed.listen(this);
    }

    @Override public void detach(Feed feed) {
        feed.offClose(this);
        feed.unlisten(this);
    }

    @Override public long alarms() { return overLimit; }

    @Override public long shown() { return count; }

    @Override public String toString() { return name; }
}

final class Harmless2Panel implements Panel {
    private record Spec(String title, int width) { }

    private static final class Chart {
        final double[] history = new double[1200];
        int n, alarms;

        void add(double price) {
            history[n++ % history.length] = price;
            if (price > 140) alarms++;
        }
    }

    private final Spec spec;
    private final Chart chart = new Chart();
    private final Consumer<Tick> onTick;
    private final Runnable onClose;

    Harmless2Panel(String title, int width) {
        spec = new Spec(title, width);
        onTick = t -> { if (t.symbol() <= spec.width()) chart.add(t.price()); };
        onClose = () -> System.out.println(spec.title().concat(" closed by feed"));
    }

    public void attach(Feed feed) {
        feed.listen(onTick);
        feed.onClose(onClose);
    }

    public void detach(Feed feed) {
        feed.unlisten(onTick);
        feed.offClose(onClose);
    }

    public long shown() { return chart.n; }

    public long alarms() { return chart.alarms; }
}

final class BetterPanel implements Panel {
    private final String title;
    private final float[] history = new float[1200];
    private final int width;
    private int n, alarms;
    private final Consumer<Tick> onTick = this::tick;
    private final Runnable onClose;

    BetterPanel(String title, int width) {
        this.title = title;
        this.width = width;
        this.onClose = () -> System.out.println(title.concat(" closed by feed"));
    }

    public void attach(Feed feed) {
        feed.listen(onTick);
        feed.onClose(onClose);
    }

    public void detach(Feed feed) {
        feed.unlisten(onTick);
        feed.offClose(onClose);
    }

    private void tick(Tick t) {
        if (t.symbol() > width) return;
        history[n++ % history.length] = (float) t.price();
        if (t.price() > 140) alarms++;
    }

    public long shown() { return n; }

    public long alarms() { return alarms; }

    @Override public String toString() { return title; }
}
