import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.util.List;

final class PickReaderBetter implements PickReader {
    private static final int LONGEST = 4 * 256;

    private final byte[] record = new byte[Archive.HEADER + LONGEST];
    private long samplesRead;
    private int telemetered;

    @Override public Trace read(RandomAccessFile archive, long offset) throws IOException {
        archive.seek(offset);
        int got = archive.read(record);
        ByteBuffer h = ByteBuffer.wrap(record);
        if (h.getInt() != Archive.MAGIC) throw new IOException("no record at " + offset);
        int station = h.getInt();
        int flags = h.getInt();
        int count = h.getInt();
        long start = h.getLong();
        int missing = Archive.HEADER + 4 * count - got;
        if (missing > 0) archive.readFully(record, got, missing);
        if (flags == 1) telemetered++;
        int[] samples = new int[count];
        ByteBuffer b = ByteBuffer.wrap(record, Archive.HEADER, 4 * count);
        for (int i = 0; i < count; i++) samples[i] = b.getInt();
        samplesRead += count;
        return new Trace(station, flags, start, samples);
    }

    @Override public List<String> summary() {
        return List.of("samples " + samplesRead, "telemetered " + telemetered);
    }
}
