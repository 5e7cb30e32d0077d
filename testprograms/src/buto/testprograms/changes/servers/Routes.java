package buto.testprograms.changes.servers;

import buto.testprograms.changes.Change;
import buto.testprograms.changes.Workload;
import java.util.Arrays;
import java.util.Random;

/** Paths looked up in a sorted table. The regression: some are looked for from the first row on. */
public final class Routes implements Workload {
    private static final int LOOKUPS = 10;
    private final String[] table = new String[2000];
    private final Random random = new Random(5);
    private final Change change;
    private final int scanned;
    private long checksum;

    public Routes(Change change) {
        this.change = change;
        this.scanned = change.number(0, 1, 10);
        for (int row = 0; row < table.length; row++) {
            table[row] = "/shop/items/" + (100_000 + row * 13) + "/details";
        }
    }

    @Override
    public void request(int number) {
        for (int lookup = 0; lookup < LOOKUPS; lookup++) {
            String path = table[random.nextInt(table.length)];
            checksum += lookup < scanned ? scan(path) : search(path);
        }
    }

    private int scan(String path) {
        for (int row = 0; row < table.length; row++) {
            if (table[row].compareTo(path) == 0) {
                return row;
            }
        }
        return -1;
    }

    private int search(String path) {
        return change == Change.REFACTORED ? halve(path) : Arrays.binarySearch(table, path);
    }

    private int halve(String path) {
        int low = 0;
        int high = table.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int order = table[middle].compareTo(path);
            if (order == 0) {
                return middle;
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -1;
    }

    @Override
    public long checksum() {
        return checksum;
    }
}
