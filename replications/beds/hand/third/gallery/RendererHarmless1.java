import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

final class RendererHarmless1 implements Renderer {
    /** Buffers that are not in use, by their size. */
    private static final class Shelf {
        private static final int SMALLEST = 256 * 1024;

        private final Map<Integer, ArrayDeque<ByteBuffer>> free = new HashMap<>();

        private static int room(int bytes) {
            int room = SMALLEST;
            while (room < bytes) room *= 2;
            return room;
        }

        ByteBuffer take(int bytes) {
            ArrayDeque<ByteBuffer> of = free.get(room(bytes));
            ByteBuffer buffer = of == null ? null : of.pollLast();
            if (buffer == null) buffer = ByteBuffer.allocateDirect(room(bytes));
            return buffer.clear();
        }

        void give(ByteBuffer buffer) {
            ArrayDeque<ByteBuffer> of = free.get(buffer.capacity());
            if (of == null) {
                of = new ArrayDeque<>();
                free.put(buffer.capacity(), of);
            }
            of.addLast(buffer);
        }
    }

    private final Shelf shelf = new Shelf();
    private long checks;
    private int pictures;

    @Override public Thumb render(Scan scan, int step) throws IOException {
        ByteBuffer source = shelf.take(scan.bytes());
        ByteBuffer work = shelf.take(scan.bytes());
        try {
            scan.read(source);
            checks += check(source);
            int points = sharpen(source, work, scan.width());
            pictures++;
            return shrink(work, scan.width(), points / scan.width(), step);
        } finally {
            shelf.give(source);
            shelf.give(work);
        }
    }

    private static long check(ByteBuffer source) {
        long sum = 0;
        for (int at = 0; at + 8 <= source.limit(); at += 8) sum = sum * 31 + source.getLong(at);
        return sum & 0xFFFF;
    }

    /** Writes each second row of the source, with more contrast. */
    private static int sharpen(ByteBuffer source, ByteBuffer work, int width) {
        int points = source.limit() / 2;
        int out = 0;
        for (int row = 0; row + width <= points; row += 2 * width) {
            int before = source.getShort(2 * row);
            for (int x = 0; x < width; x++) {
                int grey = source.getShort(2 * (row + x));
                work.putShort(2 * out++, (short) Math.max(0, Math.min(0x7FFF, grey + (grey - before) / 2)));
                before = grey;
            }
        }
        return out;
    }

    private static Thumb shrink(ByteBuffer work, int width, int height, int step) {
        int[][] rows = new int[height / step][];
        for (int y = 0; y < rows.length; y++) {
            int[] row = new int[width / step];
            for (int x = 0; x < row.length; x++) row[x] = work.getShort(2 * (y * step * width + x * step));
            rows[y] = row;
        }
        return new Thumb(rows);
    }

    @Override public List<String> summary() {
        List<String> lines = new ArrayList<>();
        lines.add("rendered " + pictures);
        lines.add("checks " + checks);
        return lines;
    }
}
