import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.*;

/** The least recently used buffer is filled anew. */
class BaseCache implements TileCache {
    private final Transfer transfer = new Transfer(12);
    private final LinkedHashMap<Integer, ByteBuffer> tiles = new LinkedHashMap<>(16, .75f, true);

    private ByteBuffer tile(FileChannel map, int tile) throws IOException {
        ByteBuffer b = tiles.get(tile);
        if (b == null) {
            if (tiles.size() < KEPT) b = ByteBuffer.allocateDirect(BYTES);
            else b = tiles.remove(tiles.keySet().iterator().next());
            transfer.load(map, tile, b);
            tiles.put(tile, b);
        }
        return b;
    }

    public int height(FileChannel map, int tile, int x, int y) throws IOException {
        return tile(map, tile).getShort((y * Main.SIDE + x) * 2);
    }

    public int highest(FileChannel map, int tile) throws IOException {
        return TileCache.max(tile(map, tile));
    }
}

/** Whole-tile scans have transfer buffers of their own. */
class SmallCache implements TileCache {
    private final Transfer transfer = new Transfer(12), scans = new Transfer(6);
    private final LinkedHashMap<Integer, ByteBuffer> tiles = new LinkedHashMap<>(16, .75f, true);

    private ByteBuffer tile(FileChannel map, int tile, Transfer by) throws IOException {
        ByteBuffer b = tiles.get(tile);
        if (b == null) {
            if (tiles.size() < KEPT) b = ByteBuffer.allocateDirect(BYTES);
            else b = tiles.remove(tiles.keySet().iterator().next());
            by.load(map, tile, b);
            tiles.put(tile, b);
        }
        return b;
    }

    public int height(FileChannel map, int tile, int x, int y) throws IOException {
        return tile(map, tile, transfer).getShort((y * Main.SIDE + x) * 2);
    }

    public int highest(FileChannel map, int tile) throws IOException {
        return TileCache.max(tile(map, tile, scans));
    }
}

class LargeCache implements TileCache {
    private final Transfer transfer = new Transfer(12);
    private final LinkedHashMap<Integer, ByteBuffer> tiles = new LinkedHashMap<>(16, .75f, true);

    private ByteBuffer tile(FileChannel map, int tile) throws IOException {
        ByteBuffer b = tiles.get(tile);
        if (b == null) {
            b = ByteBuffer.allocateDirect(BYTES);
            transfer.load(map, tile, b);
            tiles.put(tile, b);
        }
        return b;
    }

    public int height(FileChannel map, int tile, int x, int y) throws IOException {
        return tile(map, tile).getShort((y * Main.SIDE + x) * 2);
    }

    public int highest(FileChannel map, int tile) throws IOException {
        return TileCache.max(tile(map, tile));
    }
}

class Harmless1Cache implements TileCache {
    private final Transfer transfer = new Transfer(12);
    private final Map<Integer, ByteBuffer> byNumber = new HashMap<>();
    private final ArrayDeque<Integer> order = new ArrayDeque<>();

    private ByteBuffer fetch(FileChannel map, int tile) throws IOException {
        ByteBuffer found = byNumber.get(tile);
        if (found != null) {
            order.remove(tile);
        } else {
            found = byNumber.size() < KEPT ? ByteBuffer.allocateDirect(BYTES) : byNumber.remove(order.pollFirst());
            transfer.load(map, tile, found);
            byNumber.put(tile, found);
        }
        order.addLast(tile);
        return found;
    }

    @Override public int highest(FileChannel map, int tile) throws IOException {
        return TileCache.max(fetch(map, tile));
    }

    @Override public int height(FileChannel map, int tile, int x, int y) throws IOException {
        int offset = (y * Main.SIDE + x) * Short.BYTES;
        return fetch(map, tile).getShort(offset);
    }
}

class Harmless2Cache implements TileCache {
    private final Transfer transfer = new Transfer(12);
    private static final class Slot {
        final ByteBuffer data = ByteBuffer.allocateDirect(BYTES);

        int at(int x, int y) {
            return data.getShort((y * Main.SIDE + x) * 2);
        }
    }

    private final LinkedHashMap<Integer, Slot> slots = new LinkedHashMap<>(16, .75f, true);

    private Slot slot(FileChannel map, int tile) throws IOException {
        Slot s = slots.get(tile);
        return s != null ? s : load(map, tile);
    }

    private Slot load(FileChannel map, int tile) throws IOException {
        Slot s = slots.size() < KEPT ? new Slot() : evict();
        transfer.load(map, tile, s.data);
        slots.put(tile, s);
        return s;
    }

    private Slot evict() {
        Iterator<Slot> it = slots.values().iterator();
        Slot eldest = it.next();
        it.remove();
        return eldest;
    }

    public int height(FileChannel map, int tile, int x, int y) throws IOException {
        return slot(map, tile).at(x, y);
    }

    public int highest(FileChannel map, int tile) throws IOException {
        return TileCache.max(slot(map, tile).data);
    }
}

/** Read straight into the buffer of the tile: no transfer buffers. */
class BetterCache implements TileCache {
    private final LinkedHashMap<Integer, ByteBuffer> tiles = new LinkedHashMap<>(16, .75f, true);

    private ByteBuffer tile(FileChannel map, int tile) throws IOException {
        ByteBuffer b = tiles.get(tile);
        if (b == null) {
            if (tiles.size() < KEPT) b = ByteBuffer.allocateDirect(BYTES);
            else b = tiles.remove(tiles.keySet().iterator().next());
            TileCache.load(map, tile, b);
            tiles.put(tile, b);
        }
        return b;
    }

    public int height(FileChannel map, int tile, int x, int y) throws IOException {
        return tile(map, tile).getShort((y * Main.SIDE + x) * 2);
    }

    public int highest(FileChannel map, int tile) throws IOException {
        return TileCache.max(tile(map, tile));
    }
}
