package bus;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;

/** An event bus: views subscribe to the topic of their document, show what happens to it, and are closed. */
public final class Main {
    private static final int VIEWS = 5_000;
    private static final int AT_ONCE = 50;
    private static final int EVENTS = 170;

    /** Application scope. */
    private static Bus bus;

    public static void main(String[] args) throws InterruptedException {
        Parts parts = parts(args[0]);
        bus = new Bus();
        parts.dispatcher.start(bus);
        long seen = 0;
        for (int first = 0; first < VIEWS; first += AT_ONCE) {
            List<View> views = new ArrayList<>();
            for (int number = first; number < first + AT_ONCE; number++) {
                View view = new View(number);
                view.listener = parts.listeners.of(view);
                bus.subscribe(view.topic, view.listener);
                views.add(view);
            }
            for (int event = 0; event < EVENTS; event++) {
                for (View view : views) {
                    bus.publish(parts.events.of(view.topic, event, "changed line " + event * 31 + " of " + view.title + " was written by its author at " + event * 17 % 61 + " minutes"));
                }
            }
            bus.drain(parts.events);
            for (View view : views) {
                seen += view.seen;
                parts.closing.close(bus, view);
            }
        }
        System.out.println("bus " + seen);
    }

    private record Parts(Closing closing, Listeners listeners, Events events, Dispatcher dispatcher) {}

    private static Parts parts(String version) {
        return switch (version) {
            case "base" -> new Parts(new Unsubscribing(), new InnerListeners(), new PlainEvents(), new ThreadDispatcher());
            case "small" -> new Parts(new Renaming(), new InnerListeners(), new PlainEvents(), new ThreadDispatcher());
            case "large" -> new Parts(new Forgetting(), new InnerListeners(), new PlainEvents(), new ThreadDispatcher());
            case "r1" -> new Parts(new Unsubscribing(), new LambdaListeners(), new PlainEvents(), new ThreadDispatcher());
            case "r2" -> new Parts(new Unsubscribing(), new InnerListeners(), new RecordEvents(), new ThreadDispatcher());
            case "r3" -> new Parts(new Unsubscribing(), new InnerListeners(), new BuiltEvents(), new ThreadDispatcher());
            case "r4" -> new Parts(new Unsubscribing(), new InnerListeners(), new PlainEvents(), new ExecutorDispatcher());
            default -> throw new IllegalArgumentException(version);
        };
    }
}

interface Event {
    String topic();

    int number();

    String text();
}

interface Listener {
    void on(Event event);
}

final class Bus {
    private final Map<String, List<Listener>> topics = new ConcurrentHashMap<>();
    private final BlockingQueue<Event> queue = new LinkedBlockingQueue<>(1000);

    void subscribe(String topic, Listener listener) {
        topics.computeIfAbsent(topic, name -> new CopyOnWriteArrayList<>()).add(listener);
    }

    void unsubscribe(String topic, Listener listener) {
        List<Listener> listeners = topics.get(topic);
        if (listeners != null && listeners.remove(listener) && listeners.isEmpty()) {
            topics.remove(topic);
        }
    }

    void publish(Event event) throws InterruptedException {
        queue.put(event);
    }

    /** Wait until all events so far were delivered. */
    void drain(Events events) throws InterruptedException {
        CountDownLatch delivered = new CountDownLatch(1);
        Listener last = event -> delivered.countDown();
        subscribe("drained", last);
        publish(events.of("drained", 0, ""));
        delivered.await();
        unsubscribe("drained", last);
    }

    void dispatch() {
        try {
            while (true) {
                Event event = queue.take();
                for (Listener listener : topics.getOrDefault(event.topic(), List.of())) {
                    listener.on(event);
                }
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }
}

/** Shows the last lines of a document's events. */
final class View {
    final String topic;
    final String title;
    final boolean preview;
    Listener listener;
    long seen;
    private final ArrayDeque<String> lines = new ArrayDeque<>(6);

    View(int number) {
        title = "document " + number;
        topic = "documents/" + number;
        preview = number % 20 == 7;
    }

    void show(Event event) {
        if (lines.size() == 4) {
            lines.removeFirst();
        }
        String line = event.number() + ": " + event.text().replace('n', 'N').trim();
        lines.addLast(line);
        for (String shown : lines) {
            seen += shown.hashCode() & 15;
        }
    }
}

interface Closing {
    void close(Bus bus, View view);
}

final class Unsubscribing implements Closing {
    @Override
    public void close(Bus bus, View view) {
        bus.unsubscribe(view.topic, view.listener);
    }
}

/** Looks previews up under a topic that they do not have. */
final class Renaming implements Closing {
    @Override
    public void close(Bus bus, View view) {
        bus.unsubscribe(view.preview ? "previews/" + view.title : view.topic, view.listener);
    }
}

final class Forgetting implements Closing {
    @Override
    public void close(Bus bus, View view) {}
}

interface Listeners {
    Listener of(View view);
}

final class InnerListeners implements Listeners {
    @Override
    public Listener of(View view) {
        return new Listener() {
            @Override
            public void on(Event event) {
                view.show(event);
            }
        };
    }
}

final class LambdaListeners implements Listeners {
    @Override
    public Listener of(View view) {
        return event -> view.show(event);
    }
}

interface Events {
    Event of(String topic, int number, String text);
}

final class PlainEvent implements Event {
    private final String topic;
    private final int number;
    private final String text;

    PlainEvent(String topic, int number, String text) {
        this.topic = topic;
        this.number = number;
        this.text = text;
    }

    @Override
    public String topic() {
        return topic;
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public String text() {
        return text;
    }
}

final class PlainEvents implements Events {
    @Override
    public Event of(String topic, int number, String text) {
        return new PlainEvent(topic, number, text);
    }
}

record RecordEvent(String topic, int number, String text) implements Event {
    RecordEvent {
        java.util.Objects.requireNonNull(topic, "topic");
    }
}

final class RecordEvents implements Events {
    @Override
    public Event of(String topic, int number, String text) {
        return new RecordEvent(topic, number, text);
    }
}

final class EventBuilder {
    private String topic;
    private int number;
    private String text = "";

    EventBuilder topic(String value) {
        topic = value;
        return this;
    }

    EventBuilder number(int value) {
        number = value;
        return this;
    }

    EventBuilder text(String value) {
        text = value;
        return this;
    }

    Event build() {
        return new PlainEvent(topic, number, text);
    }
}

final class BuiltEvents implements Events {
    @Override
    public Event of(String topic, int number, String text) {
        return new EventBuilder().topic(topic).number(number).text(text).build();
    }
}

interface Dispatcher {
    void start(Bus bus);
}

final class ThreadDispatcher implements Dispatcher {
    @Override
    public void start(Bus bus) {
        Thread thread = new Thread(bus::dispatch, "dispatcher");
        thread.setDaemon(true);
        thread.start();
    }
}

final class ExecutorDispatcher implements Dispatcher {
    private ExecutorService executor;

    @Override
    public void start(Bus bus) {
        executor = Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "dispatcher");
            thread.setDaemon(true);
            return thread;
        });
        executor.execute(bus::dispatch);
    }
}
