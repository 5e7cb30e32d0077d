package buto.testprograms.changes.servers;

import buto.testprograms.changes.Change;
import buto.testprograms.changes.Workload;

/** Numbers in texts that are not always numbers. The regression: some are recognised by the exception only. */
public final class Filters implements Workload {
    private static final int VALUES = 20;
    private final Change change;
    private final int tried;
    private long checksum;

    public Filters(Change change) {
        this.change = change;
        this.tried = change.number(0, 2, 20);
    }

    @Override
    public void request(int number) {
        for (int value = 0; value < VALUES; value++) {
            String text = value % 2 == 0 ? "item-" + number : Integer.toString(number + value);
            checksum += value < tried ? parse(text) : read(text);
        }
    }

    private int parse(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException other) {
            return 0;
        }
    }

    private int read(String text) {
        return isNumber(text) ? Integer.parseInt(text) : 0;
    }

    private boolean isNumber(String text) {
        if (change == Change.REFACTORED) {
            int index = 0;
            while (index < text.length() && Character.isDigit(text.charAt(index))) {
                index++;
            }
            return index == text.length();
        }
        for (int index = 0; index < text.length(); index++) {
            if (!Character.isDigit(text.charAt(index))) {
                return false;
            }
        }
        return true;
    }

    @Override
    public long checksum() {
        return checksum;
    }
}
