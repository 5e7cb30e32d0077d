import org.roaringbitmap.RoaringBitmap;

/** Adds sets of numbers, whose high halves alternate, to each other. */
final class RoaringUnions {
    private static final int UNIONS = 10;
    private static final int NUMBERS = 30_000;

    public static void main(String[] args) throws Exception {
        RoaringBitmap even = numbers(0);
        RoaringBitmap odd = numbers(1);
        long count = 0;
        for (int i = 0; i < UNIONS; i++) {
            RoaringBitmap both = even.clone();
            both.or(odd);
            count += both.getCardinality();
        }
        Use.print(count, even, odd);
    }

    private static RoaringBitmap numbers(int first) {
        RoaringBitmap numbers = new RoaringBitmap();
        for (int i = 0; i < NUMBERS; i++) {
            numbers.add(2 * i + first << 16);
        }
        return numbers;
    }
}
