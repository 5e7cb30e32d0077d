import java.util.*;
import java.util.concurrent.*;

/** Four clerks sell the seats of a theatre; the card terminal takes a few milliseconds. */
public class Main {
    static final int CLERKS = 4, EACH = 120;

    public static void main(String[] args) throws Exception {
        BoxOffice office = office(args[0]);
        ExecutorService clerks = Executors.newFixedThreadPool(CLERKS);
        List<Future<?>> shifts = new ArrayList<>();
        for (int c = 0; c < CLERKS; c++) {
            int clerk = c;
            shifts.add(clerks.submit(() -> {
                for (int i = 0; i < EACH; i++) office.sell(1 + (i + clerk) % 3, 20 + i % 15);
                office.endOfShift();
                return null;
            }));
        }
        for (Future<?> s : shifts) s.get();
        clerks.shutdown();
        System.out.println(office.totals());
    }

    static BoxOffice office(String v) {
        return switch (v) {
            case "base" -> new BaseOffice();
            case "small" -> new SmallOffice();
            case "large" -> new LargeOffice();
            case "harmless1" -> new Harmless1Office();
            case "harmless2" -> new Harmless2Office();
            case "better" -> new BetterOffice();
            default -> throw new IllegalArgumentException(v);
        };
    }
}

interface BoxOffice {
    void sell(int seats, int price) throws InterruptedException;

    default void endOfShift() throws InterruptedException { }

    String totals();
}

final class Terminal {
    private Terminal() { }

    static long pay(long amount) throws InterruptedException {
        Thread.sleep(4);
        return amount;
    }
}

final class Hall {
    private final BitSet taken = new BitSet();

    /** The first free run of that many seats. */
    int take(int seats) {
        int at = taken.nextClearBit(0);
        while (taken.get(at, at + seats).cardinality() > 0) at = taken.nextClearBit(at + 1);
        taken.set(at, at + seats);
        return at;
    }

    int sold() {
        return taken.cardinality();
    }
}
