package buto.testprograms.changes.servers;

import buto.testprograms.changes.Change;
import buto.testprograms.changes.Workload;
import java.util.Arrays;

/** Accounts that are read often. The regression: a reader gets a copy instead of a view. */
public final class Ledger implements Workload {
    private static final int ACCOUNTS = 50;
    private static final int READS = 20;
    private final long[][] entries = new long[ACCOUNTS][200];
    private final Change change;
    private final int copied;
    private long checksum;

    public Ledger(Change change) {
        this.change = change;
        this.copied = change.number(10, 11, 20);
        for (int account = 0; account < ACCOUNTS; account++) {
            Arrays.setAll(entries[account], index -> index * 7L);
        }
    }

    @Override
    public void request(int number) {
        for (int read = 0; read < READS; read++) {
            checksum += balance(entriesOf((number + read) % ACCOUNTS, read));
        }
    }

    private long[] entriesOf(int account, int read) {
        return read < copied ? entries[account].clone() : entries[account];
    }

    private long balance(long[] of) {
        if (change == Change.REFACTORED) {
            return of[0] + rest(of);
        }
        long sum = 0;
        for (long entry : of) {
            sum += entry;
        }
        return sum;
    }

    private static long rest(long[] of) {
        long sum = 0;
        for (int index = 1; index < of.length; index++) {
            sum += of[index];
        }
        return sum;
    }

    @Override
    public long checksum() {
        return checksum;
    }
}
