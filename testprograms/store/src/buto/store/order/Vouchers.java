package buto.store.order;

import buto.store.service.Slowdown;
import buto.store.tracing.Span;
import buto.store.tracing.Tracer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Tells genuine vouchers by their signature. */
public final class Vouchers {
    private static final int ROUNDS = 30;
    private static final SecretKeySpec KEY =
            new SecretKeySpec("the key of the store".getBytes(StandardCharsets.UTF_8), "HmacSHA256");

    private final Slowdown slowdown = Slowdown.of("Vouchers.discount");

    /** Returns by how many cents a voucher makes an order cheaper. */
    public int discount(String code) {
        try (Span span = Tracer.component("Vouchers.discount")) {
            return slowdown.around(() -> 100 + Math.floorMod(signature(code)[0], 100));
        }
    }

    private static byte[] signature(String code) {
        try {
            Mac mac = Mac.getInstance(KEY.getAlgorithm());
            mac.init(KEY);
            byte[] signature = code.getBytes(StandardCharsets.UTF_8);
            for (int round = 0; round < ROUNDS; round++) {
                signature = mac.doFinal(signature);
            }
            return signature;
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
