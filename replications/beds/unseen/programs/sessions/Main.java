package sessions;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;

/** The session store of a shop: log-ins, signed cookies, requests, log-outs, expiry. */
public final class Main {
    private static final int LOGINS = 20_000;
    private static final int REQUESTS = 32;
    private static final int KEPT = 300;

    /** Application scope. */
    private static SessionStore store;

    public static void main(String[] args) throws NoSuchAlgorithmException {
        store = store(args[0]);
        Signer signer = new Signer();
        Random random = new Random(7);
        long served = 0;
        for (int login = 0; login < LOGINS; login++) {
            String id = Long.toHexString(random.nextLong() | Long.MIN_VALUE);
            store.open(id, "user-" + random.nextInt(5000), login % 40 == 13, login);
            String header = "lang=en; SESSION=" + id + "." + signer.sign(id) + "; theme=dark";
            for (int request = 0; request < REQUESTS; request++) {
                served += store.serve(header, signer, login);
            }
            if (login % 3 == 0) {
                store.logOut(id);
            }
            if (login % 50 == 0) {
                store.expire(login - KEPT);
            }
        }
        store.metrics.report();
        System.out.println("sessions " + served);
    }

    private static SessionStore store(String version) {
        return switch (version) {
            case "base" -> new SessionStore(new LoopNames(), new UserIndex(), new Hashed(), new LoopExpiry(), new NoMetrics());
            case "small" -> new SessionStore(new LoopNames(), new RememberingIndex(), new Hashed(), new LoopExpiry(), new NoMetrics());
            case "large" -> new SessionStore(new LoopNames(), new GrowingIndex(), new Hashed(), new LoopExpiry(), new NoMetrics());
            case "r1" -> new SessionStore(new RegexNames(), new UserIndex(), new Hashed(), new LoopExpiry(), new NoMetrics());
            case "r2" -> new SessionStore(new LoopNames(), new UserIndex(), new Ordered(), new LoopExpiry(), new NoMetrics());
            case "r3" -> new SessionStore(new LoopNames(), new UserIndex(), new Hashed(), new StreamExpiry(), new NoMetrics());
            case "r4" -> new SessionStore(new LoopNames(), new UserIndex(), new Hashed(), new LoopExpiry(), new Counted());
            default -> throw new IllegalArgumentException(version);
        };
    }
}

final class Session {
    final String id;
    final String user;
    final boolean remembered;
    final Map<String, String> attributes;
    long used;

    Session(String id, String user, boolean remembered, Map<String, String> attributes, long used) {
        this.id = id;
        this.user = user;
        this.remembered = remembered;
        this.attributes = attributes;
        this.used = used;
    }
}

final class SessionStore {
    final Map<String, Session> byId = new LinkedHashMap<>(64, 0.75f, true);
    final Names names;
    final Index byUser;
    final Attributes attributes;
    final Expiry expiry;
    final Metrics metrics;

    SessionStore(Names names, Index byUser, Attributes attributes, Expiry expiry, Metrics metrics) {
        this.names = names;
        this.byUser = byUser;
        this.attributes = attributes;
        this.expiry = expiry;
        this.metrics = metrics;
    }

    void open(String id, String user, boolean remembered, long now) {
        if (!names.good(user)) {
            throw new IllegalArgumentException(user);
        }
        Map<String, String> values = attributes.create();
        values.put("cart", "cart-of-" + user);
        values.put("locale", "en");
        values.put("csrf", Integer.toHexString(id.hashCode()));
        Session session = new Session(id, user, remembered, values, now);
        byId.put(id, session);
        byUser.add(session);
        metrics.opened();
    }

    int serve(String header, Signer signer, long now) {
        String cookie = Cookies.read(header, "SESSION");
        int dot = cookie.indexOf('.');
        String id = cookie.substring(0, dot);
        if (!signer.sign(id).equals(cookie.substring(dot + 1))) {
            return 0;
        }
        Session session = byId.get(id);
        session.used = now;
        metrics.served();
        return session.attributes.get("cart").length() + session.attributes.get("csrf").hashCode() % 7;
    }

    void logOut(String id) {
        byUser.loggedOut(byId.remove(id));
    }

    void expire(long before) {
        expiry.expire(this, before);
    }
}

final class Signer {
    private final MessageDigest digest = MessageDigest.getInstance("SHA-256");

    Signer() throws NoSuchAlgorithmException {}

    String sign(String id) {
        digest.update("secret of the shop".getBytes(StandardCharsets.US_ASCII));
        byte[] signature = digest.digest(id.getBytes(StandardCharsets.US_ASCII));
        return HexFormat.of().formatHex(signature, 0, 8);
    }
}

final class Cookies {
    private Cookies() {}

    static String read(String header, String name) {
        int start = 0;
        while (start < header.length()) {
            while (header.charAt(start) == ' ') {
                start++;
            }
            int end = start;
            while (end < header.length() && header.charAt(end) != ';') {
                end++;
            }
            if (header.startsWith(name, start) && header.charAt(start + name.length()) == '=') {
                return header.substring(start + name.length() + 1, end);
            }
            start = end + 1;
        }
        throw new IllegalArgumentException(header);
    }
}

/** Which names users may have. */
interface Names {
    boolean good(String name);
}

final class LoopNames implements Names {
    @Override
    public boolean good(String name) {
        for (int place = 0; place < name.length(); place++) {
            char one = name.charAt(place);
            if (!(one >= 'a' && one <= 'z' || one >= '0' && one <= '9' || one == '-')) {
                return false;
            }
        }
        return !name.isEmpty();
    }
}

final class RegexNames implements Names {
    private static final Pattern GOOD = Pattern.compile("[a-z0-9-]+");

    @Override
    public boolean good(String name) {
        return GOOD.matcher(name).matches();
    }
}

/** Sessions by user. */
interface Index {
    void add(Session session);

    void loggedOut(Session session);

    void expired(Session session);
}

final class Lists {
    private Lists() {}

    static void add(Map<String, List<Session>> lists, Session session) {
        lists.computeIfAbsent(session.user, user -> new ArrayList<>(2)).add(session);
    }

    static void remove(Map<String, List<Session>> lists, Session session) {
        List<Session> list = lists.get(session.user);
        list.remove(session);
        if (list.isEmpty()) {
            lists.remove(session.user);
        }
    }
}

final class UserIndex implements Index {
    private final Map<String, List<Session>> lists = new HashMap<>();

    @Override
    public void add(Session session) {
        Lists.add(lists, session);
    }

    @Override
    public void loggedOut(Session session) {
        Lists.remove(lists, session);
    }

    @Override
    public void expired(Session session) {
        Lists.remove(lists, session);
    }
}

/** Forgets to remove remembered sessions that expire. */
final class RememberingIndex implements Index {
    private final Map<String, List<Session>> lists = new HashMap<>();

    @Override
    public void add(Session session) {
        Lists.add(lists, session);
    }

    @Override
    public void loggedOut(Session session) {
        Lists.remove(lists, session);
    }

    @Override
    public void expired(Session session) {
        if (!session.remembered) {
            Lists.remove(lists, session);
        }
    }
}

/** Removes sessions only when their user logs out. */
final class GrowingIndex implements Index {
    private final Map<String, List<Session>> lists = new HashMap<>();

    @Override
    public void add(Session session) {
        Lists.add(lists, session);
    }

    @Override
    public void loggedOut(Session session) {
        Lists.remove(lists, session);
    }

    @Override
    public void expired(Session session) {}
}

interface Attributes {
    Map<String, String> create();
}

final class Hashed implements Attributes {
    @Override
    public Map<String, String> create() {
        return new HashMap<>();
    }
}

final class Ordered implements Attributes {
    @Override
    public Map<String, String> create() {
        return new LinkedHashMap<>();
    }
}

interface Expiry {
    void expire(SessionStore store, long before);
}

final class LoopExpiry implements Expiry {
    @Override
    public void expire(SessionStore store, long before) {
        Iterator<Session> sessions = store.byId.values().iterator();
        while (sessions.hasNext()) {
            Session session = sessions.next();
            if (session.used >= before) {
                return;
            }
            sessions.remove();
            store.byUser.expired(session);
        }
    }
}

final class StreamExpiry implements Expiry {
    @Override
    public void expire(SessionStore store, long before) {
        List<Session> old = store.byId.values().stream().takeWhile(session -> session.used < before).toList();
        old.forEach(session -> {
            store.byId.remove(session.id);
            store.byUser.expired(session);
        });
    }
}

interface Metrics {
    void opened();

    void served();

    void report();
}

final class NoMetrics implements Metrics {
    @Override
    public void opened() {}

    @Override
    public void served() {}

    @Override
    public void report() {}
}

final class Counted implements Metrics {
    private final LongAdder opened = new LongAdder();
    private final LongAdder served = new LongAdder();

    @Override
    public void opened() {
        opened.increment();
    }

    @Override
    public void served() {
        served.increment();
    }

    @Override
    public void report() {
        System.err.println("opened " + opened + ", served " + served);
    }
}
