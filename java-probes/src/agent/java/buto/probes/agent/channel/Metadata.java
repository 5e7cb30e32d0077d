package buto.probes.agent.channel;

import java.util.ArrayList;

/** Metadata of the run that waits to be sent. */
public final class Metadata {
    private final ArrayList<String[]> pairs = new ArrayList<String[]>();

    /** Adds a value; null, for one that the JVM does not know, is left out. */
    public void put(String key, Object value) {
        if (value != null) {
            pairs.add(new String[] {key, value.toString()});
        }
    }

    /** Sends what is waiting; without room it keeps waiting. */
    public void send(Outbox out) {
        if (pairs.isEmpty()) {
            return;
        }
        out.begin(Frame.METADATA);
        out.u32(pairs.size());
        for (String[] pair : pairs) {
            out.text(pair[0]);
            out.text(pair[1]);
        }
        if (out.end()) {
            pairs.clear();
        }
    }
}
