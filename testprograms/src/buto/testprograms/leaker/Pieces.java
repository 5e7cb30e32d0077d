package buto.testprograms.leaker;

import java.util.Random;

/** Pieces of text, the same for the same seed, of which long strings are put together. */
final class Pieces {
    private final Random random;
    private final int length;
    /** Number of pieces in one long string. */
    final int count;

    Pieces(long seed, int count, int length) {
        this.random = new Random(seed);
        this.count = count;
        this.length = length;
    }

    String next() {
        char[] letters = new char[length];
        for (int index = 0; index < length; index++) {
            letters[index] = (char) ('a' + random.nextInt(26));
        }
        return new String(letters);
    }
}
