import java.util.*;
import java.util.concurrent.atomic.AtomicLong;

/** Sends the mails of a dozen newsletters through a slow relay, a few at a time, with retries. */
public class Main {
    public static void main(String[] args) throws Exception {
        Relay relay = new Relay();
        Sender sender = create(args[0], relay);
        int mails = 0;
        for (int c = 0; c < 24; c++) {
            List<Mail> letter = new ArrayList<>();
            for (int i = 0; i < 40; i++) letter.add(new Mail(c, mails++, "reader" + i + "@example.org"));
            sender.send(letter);
        }
        sender.close();
        System.out.println(mails + " mails, delivered " + relay.delivered + ", refused at first " + relay.refused + ", digest " + relay.digest);
    }

    private static Sender create(String version, Relay relay) {
        return switch (version) {
            case "base" -> new Base(relay);
            case "small" -> new Small(relay);
            case "large" -> new Large(relay);
            case "harmless1" -> new Harmless1(relay);
            case "harmless2" -> new Harmless2(relay);
            case "better" -> new Better(relay);
            default -> throw new IllegalArgumentException("no version " + version);
        };
    }
}

record Mail(int letter, int id, String to) { }

interface Sender {
    /** Returns when all of the letter is delivered. */
    void send(List<Mail> letter) throws InterruptedException;

    void close() throws InterruptedException;
}

final class Relay {
    final AtomicLong delivered = new AtomicLong(), refused = new AtomicLong(), digest = new AtomicLong();
    private final Set<Integer> seen = Collections.synchronizedSet(new HashSet<>());

    /** False when greylisted: every 160th mail, the first time. */
    boolean offer(Mail m) throws InterruptedException {
        Thread.sleep(2);
        if (m.id() % 160 == 40 && seen.add(m.id())) {
            refused.incrementAndGet();
            return false;
        }
        long h = m.to().hashCode() * 31L + m.id();
        for (int i = 0; i < 4000; i++) h = h * 6364136223846793005L + 1442695040888963407L;
        digest.addAndGet(h >>> 20);
        delivered.incrementAndGet();
        return true;
    }
}
