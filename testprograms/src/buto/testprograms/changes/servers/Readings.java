package buto.testprograms.changes.servers;

import buto.testprograms.changes.Change;
import buto.testprograms.changes.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Numbers parsed from text and summed. The regression: some rows are held as boxed numbers. */
public final class Readings implements Workload {
    private static final int ROWS = 10;
    private final String[] rows = new String[200];
    private final Change change;
    private final int boxedRows;
    private long checksum;

    public Readings(Change change) {
        this.change = change;
        this.boxedRows = change.number(0, 1, 5);
        Random random = new Random(23);
        for (int row = 0; row < rows.length; row++) {
            StringBuilder text = new StringBuilder();
            for (int column = 0; column < 40; column++) {
                text.append(random.nextInt(100_000)).append(',');
            }
            rows[row] = text.toString();
        }
    }

    @Override
    public void request(int number) {
        for (int row = 0; row < ROWS; row++) {
            checksum += sum(rows[(number * ROWS + row) % rows.length], row < boxedRows);
        }
    }

    private long sum(String row, boolean boxed) {
        if (boxed) {
            long sum = 0;
            for (Long value : boxed(row)) {
                sum += value;
            }
            return sum;
        }
        long[] values = new long[40];
        int count = parse(row, values);
        long sum = 0;
        for (int index = 0; index < count; index++) {
            sum += values[index];
        }
        return sum;
    }

    private List<Long> boxed(String row) {
        List<Long> values = new ArrayList<>();
        long value = 0;
        for (int index = 0; index < row.length(); index++) {
            char letter = row.charAt(index);
            if (letter == ',') {
                values.add(value);
                value = 0;
            } else {
                value = value * 10 + letter - '0';
            }
        }
        return values;
    }

    private int parse(String row, long[] values) {
        int count = 0;
        int index = 0;
        while (index < row.length()) {
            int comma = change == Change.REFACTORED ? endOf(row, index) : row.indexOf(',', index);
            long value = 0;
            for (; index < comma; index++) {
                value = value * 10 + row.charAt(index) - '0';
            }
            values[count++] = value;
            index = comma + 1;
        }
        return count;
    }

    private static int endOf(String row, int start) {
        return row.indexOf(',', start);
    }

    @Override
    public long checksum() {
        return checksum;
    }
}
