import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** An archive: records of a header of 32 bytes, the samples, and an end mark of 4 bytes. */
final class Archive {
    static final int MAGIC = 0x5345_4953;
    static final int END = 0x454E_444D;
    static final int HEADER = 32;

    private Archive() { }

    static void write(Path file, int records) throws IOException {
        Random random = new Random(906);
        try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
            for (int r = 0; r < records; r++) {
                int count = 180 + random.nextInt(60);
                int station = random.nextInt(64);
                out.writeInt(MAGIC);
                out.writeInt(station);
                out.writeInt(station % 6 == 0 ? 1 : 0);
                out.writeInt(count);
                out.writeLong(1_700_000_000_000L + r * 2_000L);
                out.writeInt(100);
                out.writeInt(0);
                int level = 0;
                for (int i = 0; i < count; i++) {
                    level = level * 7 / 8 + random.nextInt(2_001) - 1_000;
                    out.writeInt(level);
                }
                out.writeInt(END);
            }
        }
    }

    static List<Long> index(Path file, int records) throws IOException {
        List<Long> offsets = new ArrayList<>(records);
        long at = 0;
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            for (int r = 0; r < records; r++) {
                offsets.add(at);
                if (in.readInt() != MAGIC) throw new IOException("no record at " + at);
                in.readLong();
                int count = in.readInt();
                int rest = HEADER - 16 + count * 4 + 4;
                for (int i = 0; i < rest / 4; i++) in.readInt();
                at += HEADER + count * 4 + 4;
            }
        }
        return offsets;
    }
}
