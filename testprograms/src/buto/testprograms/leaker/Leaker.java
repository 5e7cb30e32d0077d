package buto.testprograms.leaker;

import buto.testprograms.launch.Arguments;
import buto.testprograms.launch.ExitAfter;
import buto.testprograms.launch.Ticker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Creates some objects at each interval, or at each request, and never releases them. */
public final class Leaker {
    private static final List<Object> LEAKED = new ArrayList<>();

    private Leaker() {
    }

    public static void main(String[] line) throws IOException {
        Arguments arguments = new Arguments(Leaker.class)
            .choice("object", "what is leaked", "string", "string-builder", "thread")
            .choice("at", "what makes it leak", "interval", "request")
            .count("leaks", 10, "objects leaked at each interval or request")
            .duration("interval", "100ms", "time between two leaks")
            .count("pieces", 133, "pieces in one string")
            .size("piece-size", "400", "letters in one piece")
            .duration("print-every", "1s", "thread: time between two lines of one thread")
            .parse(line);
        ObjectFactory factory = factory(arguments);
        ExitAfter.start(arguments.nanos("duration"), Leaker::summary);
        int leaks = arguments.integer("leaks");
        if (arguments.chosen("at").equals("request")) {
            Requests.serve(() -> leak(factory, leaks));
            return;
        }
        Ticker ticker = new Ticker(arguments.nanos("interval"));
        while (true) {
            ticker.await();
            leak(factory, leaks);
        }
    }

    private static void leak(ObjectFactory factory, int leaks) {
        for (int leak = 0; leak < leaks; leak++) {
            keep(factory.create());
        }
    }

    private static ObjectFactory factory(Arguments arguments) {
        Pieces pieces = new Pieces(
            arguments.integer("seed"), arguments.integer("pieces"), arguments.integer("piece-size"));
        switch (arguments.chosen("object")) {
            case "thread":
                return new ThreadFactory(arguments.nanos("print-every"));
            case "string-builder":
                return new StringBuilderFactory(pieces);
            default:
                return new StringFactory(pieces);
        }
    }

    private static void keep(Object object) {
        synchronized (LEAKED) {
            LEAKED.add(object);
        }
    }

    private static String summary() {
        synchronized (LEAKED) {
            return "leaked " + LEAKED.size() + " objects";
        }
    }
}
