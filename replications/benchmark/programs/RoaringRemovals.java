import org.roaringbitmap.longlong.Roaring64NavigableMap;

/** Keeps a window of the last numbers of a long sequence: adds one, removes an old one. */
final class RoaringRemovals {
    private static final int NUMBERS = 60_000;
    private static final int WINDOW = 100;

    public static void main(String[] args) throws Exception {
        Roaring64NavigableMap window = new Roaring64NavigableMap();
        for (long i = 0; i < NUMBERS; i++) {
            window.addLong(i << 33);
            if (i >= WINDOW) {
                window.removeLong(i - WINDOW << 33);
            }
        }
        Use.print(window);
    }
}
