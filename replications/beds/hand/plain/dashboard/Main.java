import java.util.*;
import java.util.function.Consumer;

/** A trading-floor dashboard: sessions open panels that follow a feed, look at it for a while and close. */
public class Main {
    static final Feed FEED = new Feed();
    static final Deque<Panel> OPEN = new ArrayDeque<>();

    public static void main(String[] args) {
        Random r = new Random(77);
        long shown = 0, alarms = 0;
        for (int session = 0; session < 2600; session++) {
            Panel p = open(args[0], "desk-" + session % 40 + "/panel-" + session, 20 + r.nextInt(60));
            p.attach(FEED);
            OPEN.addLast(p);
            for (int i = 0; i < 500; i++) FEED.publish(new Tick(r.nextInt(400), 100 + 20 * r.nextGaussian()));
            if (OPEN.size() > 150) {
                Panel gone = OPEN.removeFirst();
                gone.detach(FEED);
                shown += gone.shown();
                alarms += gone.alarms();
            }
        }
        System.out.println("ticks shown " + shown + ", alarms " + alarms + ", panels still open " + OPEN.size());
    }

    static Panel open(String version, String title, int width) {
        return switch (version) {
            case "base" -> new BasePanel(title, width);
            case "small" -> new SmallPanel(title, width);
            case "large" -> new LargePanel(title, width);
            case "harmless1" -> new Harmless1Panel(title, width);
            case "harmless2" -> new Harmless2Panel(title, width);
            case "better" -> new BetterPanel(title, width);
            default -> throw new IllegalArgumentException(version);
        };
    }
}

record Tick(int symbol, double price) { }

interface Panel {
    void attach(Feed feed);

    void detach(Feed feed);

    long shown();

    long alarms();
}

/** Passes every tick to everybody who listens, and tells when the list of listeners changes. */
final class Feed {
    private final List<Consumer<Tick>> listeners = new ArrayList<>();
    private final List<Runnable> closing = new ArrayList<>();

    void listen(Consumer<Tick> l) {
        listeners.add(l);
    }

    void unlisten(Consumer<Tick> l) {
        listeners.remove(l);
    }

    void onClose(Runnable r) {
        closing.add(r);
    }

    void offClose(Runnable r) {
        closing.remove(r);
    }

    void publish(Tick t) {
        for (int i = 0; i < listeners.size(); i++) listeners.get(i).accept(t);
    }
}
