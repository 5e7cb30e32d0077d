package buto.store.tracing;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file of OTLP JSON, one line for each request, as OpenTelemetry's collector writes it. */
final class SpanFile {
    private final BufferedWriter writer;
    private final String head;
    private boolean open = true;

    private SpanFile(BufferedWriter writer, String service) {
        this.writer = writer;
        this.head = "{\"resourceSpans\":[{\"resource\":{\"attributes\":[" + attribute("service.name", service)
                + "]},\"scopeSpans\":[{\"spans\":[";
    }

    static SpanFile create(String service, Path path) throws IOException {
        Files.createDirectories(path.getParent());
        return new SpanFile(Files.newBufferedWriter(path), service);
    }

    void write(Trace trace) {
        StringBuilder line = new StringBuilder(512 * trace.ended.size()).append(head);
        String comma = "";
        for (Span span : trace.ended) {
            line.append(comma);
            append(line, span);
            comma = ",";
        }
        line.append("]}]}]}\n");
        synchronized (this) {
            if (open) {
                write(line);
            }
        }
    }

    synchronized void close() {
        open = false;
        try {
            writer.close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private void write(CharSequence line) {
        try {
            writer.append(line);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static void append(StringBuilder line, Span span) {
        String parent = span.parent == null ? span.trace.remoteParent : span.parent.id;
        line.append("{\"traceId\":\"").append(span.trace.id);
        line.append("\",\"spanId\":\"").append(span.id);
        line.append("\",\"parentSpanId\":\"").append(parent);
        line.append("\",\"name\":\"").append(span.name);
        line.append("\",\"kind\":").append(span.kind.number);
        line.append(",\"startTimeUnixNano\":\"").append(span.startNanos);
        line.append("\",\"endTimeUnixNano\":\"").append(span.endNanos);
        line.append("\",\"attributes\":[{\"key\":\"thread.cpu.time\",\"value\":{\"intValue\":\"");
        line.append(span.cpuNanos).append("\"}}");
        if (span.key != null) {
            line.append(',').append(attribute(span.key, span.value));
        }
        line.append("]}");
    }

    private static String attribute(String key, String value) {
        return "{\"key\":\"" + key + "\",\"value\":{\"stringValue\":\"" + value + "\"}}";
    }
}
