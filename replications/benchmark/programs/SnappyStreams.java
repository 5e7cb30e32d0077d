import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import org.xerial.snappy.SnappyInputStream;
import org.xerial.snappy.SnappyOutputStream;

/** Compresses many small blocks, each with a stream of its own that is closed, as shuffles of data do. */
final class SnappyStreams {
    private static final int BLOCKS = 2_000;

    public static void main(String[] args) throws Exception {
        byte[] block = "goods and their prices, ".repeat(400).getBytes("US-ASCII");
        long bytes = 0;
        for (int i = 0; i < BLOCKS; i++) {
            var out = new ByteArrayOutputStream();
            try (var compressed = new SnappyOutputStream(out)) {
                compressed.write(block);
            }
            try (var in = new SnappyInputStream(new ByteArrayInputStream(out.toByteArray()))) {
                bytes += in.readAllBytes().length;
            }
        }
        System.out.println(bytes);
        Use.print();
    }
}
