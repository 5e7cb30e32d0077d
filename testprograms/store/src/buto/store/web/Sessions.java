package buto.store.web;

import buto.store.service.Slowdown;
import buto.store.tracing.Span;
import buto.store.tracing.Tracer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/** Tells which customer sends a request. */
public final class Sessions {
    private final Slowdown slowdown = Slowdown.of("Sessions.customer");

    /** Returns the customer of a session, whose token is {@code CUSTOMER.CHECKSUM}. */
    public int customer(String token) {
        try (Span span = Tracer.component("Sessions.customer")) {
            return slowdown.around(() -> checked(token));
        }
    }

    /** Returns a customer's token. */
    public static String token(int customer) {
        CRC32 sum = new CRC32();
        sum.update(("customer " + customer).getBytes(StandardCharsets.UTF_8));
        return customer + "." + sum.getValue();
    }

    private static int checked(String token) {
        int customer = Integer.parseInt(token.substring(0, Math.max(token.indexOf('.'), 0)));
        if (!token(customer).equals(token)) {
            throw new IllegalArgumentException("the session is not genuine");
        }
        return customer;
    }
}
