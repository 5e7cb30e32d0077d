package buto.probes.agent;

import java.io.IOException;

/** What the collector wants: the body of an ACCEPT. */
final class Request {
    private static final long SHORTEST_INTERVAL = 100000L;

    final long intervalNanos;
    final long flushNanos;
    final BeanRule[] rules;

    /**
     * Decodes the frame.
     *
     * @param answer the secret that the collector must show
     * @throws IOException if it does not, or the frame is malformed, or its interval is below 0.1 ms
     */
    Request(Inbox frame, String answer) throws IOException {
        if (!frame.text().equals(answer)) {
            throw new IOException("not the collector that launched this JVM");
        }
        intervalNanos = frame.u64();
        flushNanos = (frame.u32() & 0xffffffffL) * 1000000L;
        rules = new BeanRule[frame.u16()];
        for (int i = 0; i < rules.length; i++) {
            rules[i] = new BeanRule(frame);
        }
        frame.close();
        if (intervalNanos < SHORTEST_INTERVAL) {
            throw new IOException("interval too short");
        }
    }

    boolean wantsNotifications() {
        boolean wanted = false;
        for (BeanRule rule : rules) {
            wanted |= rule.notifications;
        }
        return wanted;
    }
}
