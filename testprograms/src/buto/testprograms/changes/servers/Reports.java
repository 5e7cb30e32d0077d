package buto.testprograms.changes.servers;

import buto.testprograms.changes.Change;
import buto.testprograms.changes.Workload;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Reports that four workers write into buffers of their own. The regression: a part of each report stays in the buffer. */
public final class Reports implements Workload {
    private static final int ROWS = 20;
    private final ThreadLocal<StringBuilder> buffer = ThreadLocal.withInitial(StringBuilder::new);
    private final ExecutorService workers = Executors.newFixedThreadPool(4);
    private final Change change;
    private final int kept;
    private long checksum;

    public Reports(Change change) {
        this.change = change;
        this.kept = change.number(0, 32, 400);
    }

    @Override
    public void request(int number) throws Exception {
        checksum += workers.submit(() -> write(number)).get();
    }

    private int write(int number) {
        StringBuilder text = buffer.get();
        int before = text.length();
        for (int row = 0; row < ROWS; row++) {
            append(text, number, row);
        }
        int written = text.length() - before;
        reset(text, before);
        return written;
    }

    private void append(StringBuilder text, int number, int row) {
        if (change == Change.REFACTORED) {
            text.append("order ").append(number).append(", row ").append(row);
            text.append(", price ").append(number * 31 % 997).append('\n');
        } else {
            text.append("order ").append(number).append(", row ").append(row)
                .append(", price ").append(number * 31 % 997).append('\n');
        }
    }

    private void reset(StringBuilder text, int before) {
        text.setLength(before + kept);
    }

    @Override
    public long checksum() {
        return checksum;
    }

    @Override
    public void close() {
        workers.shutdown();
    }
}
