package buto.store.tracing;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Writes what each request called, and for how long.
 *
 * <p>Outside of a request, as in a benchmark, and before {@link #open}, nothing is traced.
 */
public final class Tracer {
    private static final ThreadLocal<Trace> TRACE = new ThreadLocal<>();
    private static volatile SpanFile file;

    private Tracer() {}

    /** Traces from now on, into {@code SERVICE.json} in a directory. */
    public static void open(String service, Path directory) throws IOException {
        file = SpanFile.create(service, directory.resolve(service + ".json"));
    }

    /** Begins a request; {@code header} as the caller sent it, or null. */
    public static Span request(String name, String header) {
        if (file == null) {
            return Span.NONE;
        }
        Trace trace = Trace.of(header);
        TRACE.set(trace);
        return begin(trace, name, Kind.SERVER, null, null);
    }

    /** Begins a call of a component of this process. */
    public static Span component(String name) {
        Trace trace = TRACE.get();
        return trace == null ? Span.NONE : begin(trace, name, Kind.INTERNAL, null, null);
    }

    /** Begins a call of another process, which an attribute names. */
    public static Span client(String name, String key, String value) {
        Trace trace = TRACE.get();
        return trace == null ? Span.NONE : begin(trace, name, Kind.CLIENT, key, value);
    }

    /** Writes what is not written yet; later spans are lost. */
    public static void close() {
        SpanFile open = file;
        file = null;
        if (open != null) {
            open.close();
        }
    }

    static void end(Span span) {
        Trace trace = span.trace;
        trace.ended.add(span);
        trace.current = span.parent;
        if (span.parent == null) {
            TRACE.remove();
            SpanFile open = file;
            if (open != null) {
                open.write(trace);
            }
        }
    }

    private static Span begin(Trace trace, String name, Kind kind, String key, String value) {
        Span span = new Span(trace, trace.current, name, kind, key, value);
        trace.current = span;
        return span;
    }
}
