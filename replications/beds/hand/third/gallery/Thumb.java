/** A small picture. */
final class Thumb {
    final int[][] rows;
    final long sum;

    Thumb(int[][] rows) {
        this.rows = rows;
        long s = 0;
        for (int[] row : rows) {
            for (int v : soft(row)) s += v;
        }
        sum = s;
    }

    private static int[] soft(int[] row) {
        int[] out = new int[row.length];
        for (int i = 0; i < row.length; i++) out[i] = (row[Math.max(0, i - 1)] + row[i] * 2 + row[Math.min(row.length - 1, i + 1)]) / 4;
        return out;
    }
}
