import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;

/** Reads values, each with options of its own that are left to the collector. */
final class RocksReads {
    private static final int KEYS = 1_000;
    private static final int READS = 200_000;

    public static void main(String[] args) throws Exception {
        Path directory = Files.createTempDirectory("goods");
        long bytes = 0;
        try (var options = new Options().setCreateIfMissing(true);
                var goods = RocksDB.open(options, directory.toString())) {
            for (int i = 0; i < KEYS; i++) {
                goods.put(key(i), new byte[4_000]);
            }
            for (int i = 0; i < READS; i++) {
                bytes += goods.get(new ReadOptions().setFillCache(true), key(i % KEYS)).length;
            }
            System.out.println(bytes);
            Use.print(goods);
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }
}
