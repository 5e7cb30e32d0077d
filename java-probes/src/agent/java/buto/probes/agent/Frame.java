package buto.probes.agent;

/** The types of frames on the channel; see docs/formats/agent-channel.md. */
final class Frame {
    static final int HELLO = 1;
    static final int COLUMNS = 2;
    static final int METADATA = 3;
    static final int SAMPLES = 4;
    static final int NOTIFICATIONS = 5;
    static final int REASONS = 6;
    static final int MARK = 7;
    static final int DROPPED = 8;
    static final int BYE = 9;
    static final int HISTOGRAM = 10;

    static final int ACCEPT = 65;
    static final int DECLINE = 66;
    static final int GO = 67;
    static final int FAREWELL = 68;
    static final int LIVE_SET = 69;

    private Frame() {}
}
