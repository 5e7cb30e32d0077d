import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.util.List;

final class PickReaderLarge implements PickReader {
    private static final int LONGEST = 4 * 256;

    private final byte[] body = new byte[LONGEST];
    private long samplesRead;
    private int telemetered;

    @Override public Trace read(RandomAccessFile archive, long offset) throws IOException {
        archive.seek(offset);
        if (archive.readInt() != Archive.MAGIC) throw new IOException("no record at " + offset);
        int station = archive.readInt();
        int flags = archive.readInt();
        int count = archive.readInt();
        long start = archive.readLong();
        archive.skipBytes(8);
        archive.readFully(body, 0, 4 * count);
        if (flags == 1) telemetered++;
        int[] samples = new int[count];
        ByteBuffer b = ByteBuffer.wrap(body);
        for (int i = 0; i < count; i++) samples[i] = b.getInt();
        samplesRead += count;
        return new Trace(station, flags, start, samples);
    }

    @Override public List<String> summary() {
        return List.of("samples " + samplesRead, "telemetered " + telemetered);
    }
}
