package buto.store.tracing;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Optional;

/** A call from its beginning to {@link #close}. */
public final class Span implements AutoCloseable {
    /** The header that carries the ids of a caller to another service. */
    public static final String HEADER = "traceparent";

    /** A span outside of any request: it does nothing. */
    static final Span NONE = new Span(null, null, "", Kind.INTERNAL, null, null);

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    final Trace trace;
    final Span parent;
    final String name;
    final Kind kind;
    final String key;
    final String value;
    final String id;
    final long startNanos;
    final long startCpuNanos;
    long endNanos;
    long cpuNanos;

    /**
     * @param key the name of an attribute, null for none
     * @param value its value
     */
    Span(Trace trace, Span parent, String name, Kind kind, String key, String value) {
        this.trace = trace;
        this.parent = parent;
        this.name = name;
        this.kind = kind;
        this.key = key;
        this.value = value;
        this.id = trace == null ? "" : Ids.span();
        this.startNanos = trace == null ? 0 : Clock.nanos();
        this.startCpuNanos = trace == null ? 0 : THREADS.getCurrentThreadCpuTime();
    }

    /** Returns what another service must be told; empty outside of any request. */
    public Optional<String> header() {
        return trace == null ? Optional.empty() : Optional.of("00-" + trace.id + "-" + id + "-01");
    }

    @Override
    public void close() {
        if (trace != null) {
            endNanos = Clock.nanos();
            cpuNanos = THREADS.getCurrentThreadCpuTime() - startCpuNanos;
            Tracer.end(this);
        }
    }
}
