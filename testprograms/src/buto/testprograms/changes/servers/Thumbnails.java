package buto.testprograms.changes.servers;

import buto.testprograms.changes.Change;
import buto.testprograms.changes.Workload;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;

/** Small pictures behind a cache of limited size. The regression: the cache keeps more of them. */
public final class Thumbnails implements Workload {
    private static final int PICTURES = 2000;
    private final Random random = new Random(11);
    private final Cache cache;
    private final Change change;
    private long checksum;

    public Thumbnails(Change change) {
        this.change = change;
        this.cache = new Cache(change.number(300, 360, 600));
    }

    private static final class Cache extends LinkedHashMap<Integer, byte[]> {
        private static final long serialVersionUID = 1L;
        private final int limit;

        Cache(int limit) {
            super(16, .75f, true);
            this.limit = limit;
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, byte[]> eldest) {
            return size() > limit;
        }
    }

    @Override
    public void request(int number) {
        // Half of the requests are for a tenth of the pictures, as in life.
        for (int part = 0; part < 4; part++) {
            int range = random.nextBoolean() ? PICTURES / 10 : PICTURES;
            checksum += find(random.nextInt(range))[17];
        }
    }

    private byte[] find(int picture) {
        if (change == Change.REFACTORED) {
            return cache.computeIfAbsent(picture, Thumbnails::render);
        }
        byte[] found = cache.get(picture);
        if (found == null) {
            found = render(picture);
            cache.put(picture, found);
        }
        return found;
    }

    private static byte[] render(int picture) {
        byte[] pixels = new byte[4096];
        for (int index = 0; index < pixels.length; index++) {
            pixels[index] = (byte) (picture * 31 + index * index);
        }
        return pixels;
    }

    @Override
    public long checksum() {
        return checksum;
    }
}
