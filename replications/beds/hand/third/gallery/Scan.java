import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;

/** A scan in a file: 16 bits of grey for each point. */
record Scan(Path file, int width, int height) {
    static final int STRIP = 32 * 1024;

    int bytes() { return 2 * width * height; }

    static Scan write(Path dir, int number, Random random, ByteBuffer strip) throws IOException {
        int width = 640 + 8 * random.nextInt(80);
        int height = new int[] {300, 660, 1_180}[number % 3] + random.nextInt(90);
        Scan scan = new Scan(dir.resolve("scan" + number + ".raw"), width, height);
        try (FileChannel out = FileChannel.open(scan.file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            int left = scan.bytes() / 2;
            int grey = 20_000;
            while (left > 0) {
                strip.clear();
                int n = Math.min(left, STRIP / 2);
                for (int i = 0; i < n; i++) {
                    grey = (grey + random.nextInt(601) - 300) & 0x7FFF;
                    strip.putShort((short) grey);
                }
                left -= n;
                strip.flip();
                while (strip.hasRemaining()) out.write(strip);
            }
        }
        return scan;
    }

    /** Reads the whole scan into the buffer, strip by strip. */
    void read(ByteBuffer into) throws IOException {
        try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
            int end = bytes();
            for (int at = 0; at < end; ) {
                into.limit(Math.min(end, at + STRIP)).position(at);
                int n = in.read(into);
                if (n < 0) throw new IOException("short file");
                at += n;
            }
            into.limit(end).position(0);
        }
    }

    void delete() throws IOException { Files.deleteIfExists(file); }
}
