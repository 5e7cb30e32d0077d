package buto.probes.agent;

import buto.probes.agent.channel.Inbox;
import buto.probes.agent.custom.BeanRule;
import java.io.IOException;

/** What the collector wants: the body of an ACCEPT. */
final class Request {
    static final int NEVER = 0;
    static final int AT_EXIT = 1;
    static final int DURING = 2;
    static final int AFTER_ROUNDS = 3;

    private static final long SHORTEST_INTERVAL = 100000L;

    /** Of the pipe to the collector, bytes. */
    final int capacity;

    final long intervalNanos;
    final long flushNanos;

    /** The MBeans of the program to read; null for none, so that no class of theirs is loaded. */
    final BeanRule[] rules;

    /** Whether to measure the live set: NEVER, AT_EXIT unless that takes long, also DURING the run, or AFTER_ROUNDS. */
    final int liveSet;

    /** Time between two measurements of the live set during the run; 0 for those that the collector asks for. */
    final long liveSetNanos;

    /** When rounds of the program are over; null if that does not matter, so that its class is not loaded. */
    final Rounds rounds;

    /** What the agent uses on top of the program; null for nothing, so that its class is not loaded. */
    final Extra extra;

    /**
     * Decodes the frame.
     *
     * @throws IOException if the frame is malformed, or its interval is below 0.1 ms
     */
    Request(Inbox frame) throws IOException {
        capacity = frame.u32();
        intervalNanos = frame.u64();
        flushNanos = (frame.u32() & 0xffffffffL) * 1000000L;
        liveSet = frame.u8();
        long pace = frame.u64();
        liveSetNanos = liveSet == AFTER_ROUNDS ? 0 : pace;
        rounds = liveSet == AFTER_ROUNDS ? new Rounds(pace, frame) : null;
        int count = frame.u16();
        rules = count == 0 ? null : new BeanRule[count];
        for (int i = 0; i < count; i++) {
            rules[i] = new BeanRule(frame);
        }
        extra = frame.isAtEnd() ? null : new Extra(frame);
        frame.close();
        if (intervalNanos < SHORTEST_INTERVAL) {
            throw new IOException("interval too short");
        }
    }
}
