package buto.store.tracing;

import java.util.ArrayList;
import java.util.List;

/** One request as far as this process answers it, in one thread. */
final class Trace {
    final String id;

    /** Of the span in the caller's process; empty if the request came from outside. */
    final String remoteParent;

    final List<Span> ended = new ArrayList<>();
    Span current;

    private Trace(String id, String remoteParent) {
        this.id = id;
        this.remoteParent = remoteParent;
    }

    /** Continues the trace of a header, or begins one if that is null. */
    static Trace of(String header) {
        if (header == null) {
            return new Trace(Ids.trace(), "");
        }
        String[] parts = header.split("-");
        return new Trace(parts[1], parts[2]);
    }
}
