package thumbnails;

import java.util.Arrays;

/** Makes thumbnails: each image is decoded, blurred tile by tile, and scaled down. */
public final class Main {
    private static final int IMAGES = 400;
    private static final int WIDTH = 640;
    private static final int HEIGHT = 448;
    private static final int TILE = 64;

    /** The gallery's last thumbnails. */
    private static final int[][] gallery = new int[12][];

    public static void main(String[] args) {
        Blur blur = blur(args[0]);
        long sum = 0;
        for (int number = 0; number < IMAGES; number++) {
            int[] image = decode(number);
            for (int y = 0; y < HEIGHT; y += TILE) {
                for (int x = 0; x < WIDTH; x += TILE) {
                    blur.tile(image, WIDTH, x, y, TILE);
                }
            }
            int[] small = scale(image, 4);
            gallery[number % gallery.length] = small;
            sum += Arrays.hashCode(small) & 0xffff;
        }
        System.out.println("thumbnails " + sum);
    }

    private static Blur blur(String version) {
        return switch (version) {
            case "base" -> new ReusingBlur();
            case "small" -> new TileBlur();
            case "large" -> new RowBlur();
            default -> throw new IllegalArgumentException(version);
        };
    }

    /** Return an image of gray values. */
    private static int[] decode(int number) {
        int[] image = new int[WIDTH * HEIGHT];
        int state = number * 7919 + 17;
        for (int place = 0; place < image.length; place++) {
            state = state * 1103515245 + 12345;
            image[place] = (state >>> 16 & 63) + (place % WIDTH) / 4;
        }
        return image;
    }

    private static int[] scale(int[] image, int by) {
        int width = WIDTH / by;
        int[] small = new int[width * (HEIGHT / by)];
        for (int place = 0; place < small.length; place++) {
            int corner = place / width * by * WIDTH + place % width * by;
            int sum = 0;
            for (int y = 0; y < by; y++) {
                for (int x = 0; x < by; x++) {
                    sum += image[corner + y * WIDTH + x];
                }
            }
            small[place] = sum / (by * by);
        }
        return small;
    }
}

interface Blur {
    void tile(int[] image, int width, int left, int top, int size);
}

final class Rows {
    private Rows() {}

    static void blur(int[] image, int start, int[] row, int from, int size) {
        for (int x = 0; x < size; x++) {
            int before = image[start + Math.max(0, x - 1)];
            int after = image[start + Math.min(size - 1, x + 1)];
            row[from + x] = (before + 2 * image[start + x] + after) / 4;
        }
    }
}

/** One scratch row for all tiles. */
final class ReusingBlur implements Blur {
    private int[] row = new int[0];

    @Override
    public void tile(int[] image, int width, int left, int top, int size) {
        if (row.length < size) {
            row = new int[size];
        }
        for (int y = 0; y < size; y++) {
            int start = (top + y) * width + left;
            Rows.blur(image, start, row, 0, size);
            System.arraycopy(row, 0, image, start, size);
        }
    }
}

/** Scratch memory of six rows for each tile. */
final class TileBlur implements Blur {
    private static final int ROWS = 6;

    @Override
    public void tile(int[] image, int width, int left, int top, int size) {
        int[] rows = new int[size * ROWS];
        for (int y = 0; y < size; y++) {
            int start = (top + y) * width + left;
            int from = y % ROWS * size;
            Rows.blur(image, start, rows, from, size);
            System.arraycopy(rows, from, image, start, size);
        }
    }
}

/** A new row for each row, and a copy of the tile. */
final class RowBlur implements Blur {
    @Override
    public void tile(int[] image, int width, int left, int top, int size) {
        int[][] tile = new int[size][];
        for (int y = 0; y < size; y++) {
            tile[y] = new int[size];
            Rows.blur(image, (top + y) * width + left, tile[y], 0, size);
        }
        for (int y = 0; y < size; y++) {
            System.arraycopy(tile[y], 0, image, (top + y) * width + left, size);
        }
    }
}
