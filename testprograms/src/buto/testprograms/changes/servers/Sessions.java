package buto.testprograms.changes.servers;

import buto.testprograms.changes.Change;
import buto.testprograms.changes.Workload;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** Sessions of users in a map. The regression: some are never removed. */
public final class Sessions implements Workload {
    private static final int OPEN = 200;
    private static final int BYTES = 2048;
    private final Map<String, Session> sessions = new LinkedHashMap<>();
    private final Change change;
    private final int forgottenOfThousand;
    private long checksum;

    public Sessions(Change change) {
        this.change = change;
        this.forgottenOfThousand = change.number(0, 25, 200);
    }

    static final class Session {
        final Map<String, String> attributes = new HashMap<>();
        final byte[] basket = new byte[BYTES];
        final int user;

        Session(int user) {
            this.user = user;
            attributes.put("language", "en");
            attributes.put("theme", "theme-" + user % 7);
        }
    }

    @Override
    public void request(int number) {
        open(number);
        for (int back = 1; back < 50; back += 7) {
            Session session = sessions.get("session-" + (number - back));
            checksum += session == null ? 0 : session.attributes.get("theme").length();
        }
        if (change == Change.REFACTORED) {
            String expired = keyOf(number - OPEN);
            sessions.remove(expired);
        } else {
            expire(number - OPEN);
        }
    }

    private void open(int number) {
        sessions.put(keyOf(number), new Session(number));
    }

    private void expire(int number) {
        if (number % 1000 * 7919 % 1000 >= forgottenOfThousand) {
            sessions.remove(keyOf(number));
        }
    }

    private static String keyOf(int number) {
        return "session-" + number;
    }

    @Override
    public long checksum() {
        return checksum;
    }
}
