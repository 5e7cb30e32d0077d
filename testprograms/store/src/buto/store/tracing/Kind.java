package buto.store.tracing;

/** The kinds of spans, with their numbers in OpenTelemetry. */
enum Kind {
    INTERNAL(1),
    SERVER(2),
    CLIENT(3);

    final int number;

    Kind(int number) {
        this.number = number;
    }
}
