package buto.probes.agent;

import buto.probes.agent.channel.Inbox;
import buto.probes.agent.custom.BeanRule;
import java.io.IOException;

/** What the collector wants: the body of an ACCEPT. */
final class Request {
    static final int NEVER = 0;
    static final int AT_EXIT = 1;
    static final int DURING = 2;

    private static final long SHORTEST_INTERVAL = 100000L;

    final long intervalNanos;
    final long flushNanos;

    /** The MBeans of the program to read; null for none, so that no class of theirs is loaded. */
    final BeanRule[] rules;

    /** Whether to measure the live set: NEVER, AT_EXIT unless that takes long, or also DURING the run. */
    final int liveSet;

    /** Time between two measurements of the live set during the run; 0 for those that the collector asks for. */
    final long liveSetNanos;

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
        liveSet = frame.u8();
        liveSetNanos = frame.u64();
        int count = frame.u16();
        rules = count == 0 ? null : new BeanRule[count];
        for (int i = 0; i < count; i++) {
            rules[i] = new BeanRule(frame);
        }
        frame.close();
        if (intervalNanos < SHORTEST_INTERVAL) {
            throw new IOException("interval too short");
        }
    }
}
