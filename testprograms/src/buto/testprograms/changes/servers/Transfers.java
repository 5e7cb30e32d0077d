package buto.testprograms.changes.servers;

import buto.testprograms.changes.Change;
import buto.testprograms.changes.Workload;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Blocks sent through buffers outside the heap. The regression: some buffers do not go back to the pool. */
public final class Transfers implements Workload {
    private static final int BYTES = 16 * 1024;
    private final Deque<ByteBuffer> pool = new ArrayDeque<>();
    private final List<ByteBuffer> lost = new ArrayList<>();
    private final Change change;
    private final int lostEvery;
    private long checksum;

    public Transfers(Change change) {
        this.change = change;
        this.lostEvery = change.number(Integer.MAX_VALUE, 200, 20);
    }

    @Override
    public void request(int number) {
        ByteBuffer buffer = take();
        buffer.clear();
        if (change == Change.REFACTORED) {
            fill(buffer, number, 0);
        } else {
            for (int index = 0; index < BYTES; index += Long.BYTES) {
                buffer.putLong(number + index);
            }
        }
        buffer.flip();
        checksum += buffer.getLong(8);
        giveBack(buffer, number);
    }

    private static void fill(ByteBuffer buffer, int number, int from) {
        for (int index = from; index < BYTES; index += Long.BYTES) {
            buffer.putLong(number + index);
        }
    }

    private ByteBuffer take() {
        ByteBuffer pooled = pool.poll();
        return pooled == null ? ByteBuffer.allocateDirect(BYTES) : pooled;
    }

    private void giveBack(ByteBuffer buffer, int number) {
        if (number % lostEvery == lostEvery - 1) {
            lost.add(buffer);
        } else {
            pool.add(buffer);
        }
    }

    @Override
    public long checksum() {
        return checksum;
    }
}
