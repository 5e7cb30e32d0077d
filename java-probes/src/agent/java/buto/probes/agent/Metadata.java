package buto.probes.agent;

import java.util.ArrayList;

/** Keys and values of the run that wait to be sent. */
final class Metadata {
    private final ArrayList<String[]> pairs = new ArrayList<String[]>();

    /** Adds a value; one that the JVM does not know (null) is left out. */
    void put(String key, Object value) {
        if (value != null) {
            pairs.add(new String[] {key, value.toString()});
        }
    }

    /** Sends what waits; without room it waits on. */
    void send(Outbox out) {
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
