package ledger;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Accounts in stripes, each with a lock, and tellers that transfer money; some transfers are confirmed elsewhere. */
public final class Main {
    private static final int TELLERS = 4;
    private static final int TRANSFERS = 2_400;

    public static void main(String[] args) throws InterruptedException {
        Ledger ledger = ledger(args[0]);
        List<Thread> tellers = new ArrayList<>();
        for (int number = 0; number < TELLERS; number++) {
            int seed = number;
            Thread teller = new Thread(() -> work(ledger, seed), "teller-" + number);
            tellers.add(teller);
            teller.start();
        }
        for (Thread teller : tellers) {
            teller.join();
        }
        System.out.println("ledger " + ledger.accounts().total());
    }

    private static Ledger ledger(String version) {
        return switch (version) {
            case "base" -> new StripedLedger();
            case "small" -> new JournalLedger();
            case "large" -> new OneLockLedger();
            default -> throw new IllegalArgumentException(version);
        };
    }

    private static void work(Ledger ledger, int seed) {
        long state = seed * 7919L + 12345;
        for (int transfer = 0; transfer < TRANSFERS; transfer++) {
            state = state * 6364136223846793005L + 1442695040888963407L;
            int from = (int) (state >>> 33) % Accounts.COUNT;
            int to = (int) (state >>> 17 & 0x7fffffff) % Accounts.COUNT;
            ledger.transfer(from, to, (int) (state >>> 50 & 0xff));
        }
    }
}

interface Ledger {
    void transfer(int from, int to, int cents);

    Accounts accounts();
}

final class Accounts {
    static final int COUNT = 4096;
    private static final int STRIPES = 256;

    private final long[] balances = new long[COUNT];
    private final Object[] locks = new Object[STRIPES];

    Accounts() {
        for (int stripe = 0; stripe < STRIPES; stripe++) {
            locks[stripe] = new Object();
        }
        Arrays.fill(balances, 1_000_000);
    }

    /** Move the money under the locks of both stripes. */
    void move(int from, int to, int cents) {
        int first = Math.min(from % STRIPES, to % STRIPES);
        int second = Math.max(from % STRIPES, to % STRIPES);
        synchronized (locks[first]) {
            synchronized (locks[second]) {
                balances[from] -= cents;
                balances[to] += cents;
            }
        }
    }

    long total() {
        return Arrays.stream(balances).sum();
    }
}

/** What is done before money is moved. */
final class Checks {
    private static final int LARGE = 192;
    private static final int VERY_LARGE = 230;

    private Checks() {}

    /** Calculate the risk of a transfer. */
    static void risk(int account, int cents) {
        double risk = cents;
        for (int day = 0; day < 40_000; day++) {
            risk = risk * 1.000021 + (account & 3) * 0.001;
        }
        if (risk < 0) {
            throw new IllegalStateException("risk " + risk);
        }
    }

    /** Wait for another service if a transfer is large: one in four. */
    static void confirm(int cents) {
        if (cents >= LARGE) {
            LockSupport.parkNanos(100_000);
        }
    }

    static boolean veryLarge(int cents) {
        return cents >= VERY_LARGE;
    }
}

/** Notes very large transfers, one in ten, in a journal. */
final class StripedLedger implements Ledger {
    private final Accounts accounts = new Accounts();
    private final long[] journal = new long[1024];
    private int noted;

    @Override
    public void transfer(int from, int to, int cents) {
        Checks.risk(from, cents);
        Checks.confirm(cents);
        if (Checks.veryLarge(cents)) {
            synchronized (journal) {
                journal[noted++ % journal.length] = cents;
            }
        }
        accounts.move(from, to, cents);
    }

    @Override
    public Accounts accounts() {
        return accounts;
    }
}

/** Holds the journal's lock while very large transfers are confirmed. */
final class JournalLedger implements Ledger {
    private final Accounts accounts = new Accounts();
    private final long[] journal = new long[1024];
    private int noted;

    @Override
    public void transfer(int from, int to, int cents) {
        Checks.risk(from, cents);
        if (Checks.veryLarge(cents)) {
            synchronized (journal) {
                Checks.confirm(cents);
                journal[noted++ % journal.length] = cents;
            }
        } else {
            Checks.confirm(cents);
        }
        accounts.move(from, to, cents);
    }

    @Override
    public Accounts accounts() {
        return accounts;
    }
}

/** Holds one lock during the whole of each transfer. */
final class OneLockLedger implements Ledger {
    private final Accounts accounts = new Accounts();
    private final long[] journal = new long[1024];
    private int noted;

    @Override
    public synchronized void transfer(int from, int to, int cents) {
        Checks.risk(from, cents);
        Checks.confirm(cents);
        if (Checks.veryLarge(cents)) {
            journal[noted++ % journal.length] = cents;
        }
        accounts.move(from, to, cents);
    }

    @Override
    public Accounts accounts() {
        return accounts;
    }
}
