import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.*;
import java.util.*;

/** Serves tiles of a height map from a file, with those most asked for in a cache. */
public class Main {
    static final int SIDE = 256, TILES = 700;
    static TileCache cache;

    public static void main(String[] args) throws IOException {
        Path map = Files.createTempFile("heights", ".raw");
        try (FileChannel ch = FileChannel.open(map, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            write(ch);
            cache = switch (args[0]) {
                case "base" -> new BaseCache();
                case "small" -> new SmallCache();
                case "large" -> new LargeCache();
                case "harmless1" -> new Harmless1Cache();
                case "harmless2" -> new Harmless2Cache();
                case "better" -> new BetterCache();
                default -> throw new IllegalArgumentException(args[0]);
            };
            Random r = new Random(12);
            long sum = 0;
            for (int i = 0; i < 5000; i++) {
                int tile = Math.min(TILES - 1, (int) Math.abs(r.nextGaussian() * 90));
                if (i % 40 == 0) tile = i / 40 % TILES;
                sum += cache.height(ch, tile, r.nextInt(SIDE), r.nextInt(SIDE));
                if (i % 8 == 0) sum += cache.highest(ch, (tile + 90) % TILES);
            }
            System.out.println("sum of heights " + sum);
        } finally {
            Files.delete(map);
        }
    }

    private static void write(FileChannel ch) throws IOException {
        ByteBuffer b = ByteBuffer.allocate(SIDE * SIDE * 2);
        for (int t = 0; t < TILES; t++) {
            b.clear();
            for (int i = 0; i < SIDE * SIDE; i++) b.putShort((short) ((t * 31 + i * (i >> 8)) & 0x0fff));
            ch.write(b.flip());
        }
    }
}

interface TileCache {
    int BYTES = Main.SIDE * Main.SIDE * 2, KEPT = 64;

    int height(FileChannel map, int tile, int x, int y) throws IOException;

    int highest(FileChannel map, int tile) throws IOException;

    static void load(FileChannel map, int tile, ByteBuffer into) throws IOException {
        into.clear();
        map.read(into, (long) tile * BYTES);
        into.flip();
    }

    static int max(ByteBuffer b) {
        int m = 0;
        for (int i = 0; i < BYTES; i += 2) m = Math.max(m, b.getShort(i));
        return m;
    }
}

/** Buffers to read into, taken in turn, so that a slow disk does not meet a buffer still being copied. */
final class Transfer {
    private final ByteBuffer[] ring;
    private int next;

    Transfer(int buffers) {
        ring = new ByteBuffer[buffers];
    }

    void load(FileChannel map, int tile, ByteBuffer into) throws IOException {
        int i = next++ % ring.length;
        if (ring[i] == null) ring[i] = ByteBuffer.allocateDirect(TileCache.BYTES);
        TileCache.load(map, tile, ring[i]);
        into.clear();
        into.put(ring[i]).flip();
    }
}
