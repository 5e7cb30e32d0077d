import java.util.Arrays;

class PlateBase implements Plate {
    private double[][] grid = new double[Main.N][Main.N];

    public void heat(int x, int y, double t) {
        grid[y][x] += t;
    }

    public void step() {
        double[][] next = new double[Main.N][Main.N];
        for (int y = 1; y < Main.N - 1; y++) {
            double[] up = grid[y - 1], mid = grid[y], down = grid[y + 1], to = next[y];
            for (int x = 1; x < Main.N - 1; x++) to[x] = Plate.relax(up[x], mid[x - 1], mid[x], mid[x + 1], down[x]);
        }
        grid = next;
    }

    public int hotRows(double limit) {
        int n = 0;
        for (int y = 0; y < Main.N; y++) {
            double max = 0;
            for (double v : grid[y]) max = Math.max(max, v);
            if (max > limit) n++;
        }
        return n;
    }

    public double at(int x, int y) {
        return grid[y][x];
    }

    public double total() {
        double s = 0;
        for (double[] row : grid) for (double v : row) s += v;
        return s;
    }
}

class PlateSmall implements Plate {
    private double[][] grid = new double[Main.N][Main.N];

    public void heat(int x, int y, double t) {
        grid[y][x] += t;
    }

    public void step() {
        double[][] next = new double[Main.N][Main.N];
        for (int y = 1; y < Main.N - 1; y++) {
            double[] up = grid[y - 1], mid = grid[y], down = grid[y + 1], to = next[y];
            for (int x = 1; x < Main.N - 1; x++) to[x] = Plate.relax(up[x], mid[x - 1], mid[x], mid[x + 1], down[x]);
        }
        grid = next;
    }

    public int hotRows(double limit) {
        int n = 0;
        for (int y = 0; y < Main.N; y++) if (max(row(y)) > limit) n++;
        return n;
    }

    /** A copy, so that nobody writes into the plate. */
    double[] row(int y) {
        return grid[y].clone();
    }

    private static double max(double[] row) {
        double max = 0;
        for (double v : row) max = Math.max(max, v);
        return max;
    }

    public double at(int x, int y) {
        return grid[y][x];
    }

    public double total() {
        double s = 0;
        for (double[] row : grid) for (double v : row) s += v;
        return s;
    }
}

class PlateLarge implements Plate {
    private double[][] grid = new double[Main.N][Main.N];

    public void heat(int x, int y, double t) {
        grid[y][x] += t;
    }

    public void step() {
        double[][] next = new double[Main.N][Main.N];
        for (int y = 1; y < Main.N - 1; y++) {
            double[] up = row(y - 1), mid = row(y), down = row(y + 1), to = next[y];
            for (int x = 1; x < Main.N - 1; x++) to[x] = Plate.relax(up[x], mid[x - 1], mid[x], mid[x + 1], down[x]);
        }
        grid = next;
    }

    public int hotRows(double limit) {
        int n = 0;
        for (int y = 0; y < Main.N; y++) {
            double max = 0;
            for (double v : row(y)) max = Math.max(max, v);
            if (max > limit) n++;
        }
        return n;
    }

    /** A copy, so that nobody writes into the plate. */
    double[] row(int y) {
        return grid[y].clone();
    }

    public double at(int x, int y) {
        return grid[y][x];
    }

    public double total() {
        double s = 0;
        for (double[] row : grid) for (double v : row) s += v;
        return s;
    }
}

class PlateHarmless1 implements Plate {
    private double[][] grid = new double[Main.N][Main.N];

    public void heat(int x, int y, double t) {
        grid[y][x] += t;
    }

    @Override public void step() {
        double[][] next = new double[Main.N][Main.N];
        for (int y = 1; y < Main.N - 1; y++) relaxRow(grid[y - 1], grid[y], grid[y + 1], next[y]);
        grid = next;
    }

    private static void relaxRow(double[] above, double[] row, double[] below, double[] target) {
        for (int x = 1; x < row.length - 1; x++) target[x] = Plate.relax(above[x], row[x - 1], row[x], row[x + 1], below[x]);
    }

    @Override public int hotRows(double limit) {
        return (int) Arrays.stream(grid).filter(row -> hottest(row) > limit).count();
    }

    private static double hottest(double[] row) {
        double max = 0;
        for (double v : row) max = Math.max(max, v);
        return max;
    }

    public double at(int x, int y) {
        return grid[y][x];
    }

    public double total() {
        double s = 0;
        for (double[] row : grid) for (double v : row) s += v;
        return s;
    }
}

class PlateHarmless2 implements Plate {
    private static final class Field {
        final double[] cells = new double[Main.N * Main.N];

        double get(int x, int y) { return cells[y * Main.N + x]; }

        void set(int x, int y, double v) { cells[y * Main.N + x] = v; }
    }

    private Field now = new Field();

    public void heat(int x, int y, double t) {
        now.set(x, y, now.get(x, y) + t);
    }

    public void step() {
        Field then = now;
        now = new Field();
        for (int y = 1; y < Main.N - 1; y++)
            for (int x = 1; x < Main.N - 1; x++)
                now.set(x, y, Plate.relax(then.get(x, y - 1), then.get(x - 1, y), then.get(x, y), then.get(x + 1, y), then.get(x, y + 1)));
    }

    public int hotRows(double limit) {
        int n = 0;
        for (int y = 0; y < Main.N; y++) {
            double max = 0;
            for (int x = 0; x < Main.N; x++) max = Math.max(max, now.get(x, y));
            if (max > limit) n++;
        }
        return n;
    }

    public double at(int x, int y) {
        return now.get(x, y);
    }

    public double total() {
        double s = 0;
        for (double v : now.cells) s += v;
        return s;
    }
}

class PlateBetter implements Plate {
    private double[][] grid = new double[Main.N][Main.N], other = new double[Main.N][Main.N];

    public void heat(int x, int y, double t) {
        grid[y][x] += t;
    }

    public void step() {
        for (int y = 1; y < Main.N - 1; y++) {
            double[] up = grid[y - 1], mid = grid[y], down = grid[y + 1], to = other[y];
            for (int x = 1; x < Main.N - 1; x++) to[x] = Plate.relax(up[x], mid[x - 1], mid[x], mid[x + 1], down[x]);
        }
        double[][] t = grid;
        grid = other;
        other = t;
    }

    public int hotRows(double limit) {
        int n = 0;
        for (int y = 0; y < Main.N; y++) {
            double max = 0;
            for (double v : grid[y]) max = Math.max(max, v);
            if (max > limit) n++;
        }
        return n;
    }

    public double at(int x, int y) {
        return grid[y][x];
    }

    public double total() {
        double s = 0;
        for (double[] row : grid) for (double v : row) s += v;
        return s;
    }
}
