package buto.probes.agent.channel;

/** The types of frames on the channel; see java-probes/agent-channel.md. */
public final class Frame {
    public static final int HELLO = 1;
    static final int COLUMNS = 2;
    static final int METADATA = 3;
    static final int SAMPLES = 4;
    public static final int NOTIFICATIONS = 5;
    static final int REASONS = 6;
    public static final int MARK = 7;
    public static final int DROPPED = 8;
    public static final int BYE = 9;
    public static final int HISTOGRAM = 10;
    static final int ALIVE = 11;

    public static final int ACCEPT = 65;
    static final int DECLINE = 66;
    public static final int GO = 67;
    static final int FAREWELL = 68;
    public static final int LIVE_SET = 69;

    private Frame() {}
}
