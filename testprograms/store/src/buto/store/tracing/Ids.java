package buto.store.tracing;

import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/** Ids of traces and spans, in hexadecimal. */
final class Ids {
    private static final HexFormat HEX = HexFormat.of();

    private Ids() {}

    static String trace() {
        return span() + span();
    }

    static String span() {
        return HEX.toHexDigits(ThreadLocalRandom.current().nextLong());
    }
}
