import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.util.List;

final class PickReaderHarmless2 implements PickReader {
    private record Head(int station, int flags, int count, long start) {
        static Head parse(byte[] bytes, long offset) throws IOException {
            ByteBuffer h = ByteBuffer.wrap(bytes);
            if (h.getInt() != Archive.MAGIC) throw new IOException("no record at " + offset);
            return new Head(h.getInt(), h.getInt(), h.getInt(), h.getLong());
        }
    }

    private static final int LONGEST = 4 * 256;

    private final byte[] header = new byte[Archive.HEADER];
    private final byte[] body = new byte[LONGEST];
    private long samplesRead;
    private int telemetered;

    @Override public Trace read(RandomAccessFile archive, long offset) throws IOException {
        archive.seek(offset);
        archive.readFully(header);
        Head head = Head.parse(header, offset);
        int count = head.count();
        archive.readFully(body, 0, 4 * count);
        if (head.flags() == 1) telemetered++;
        int[] samples = new int[count];
        ByteBuffer b = ByteBuffer.wrap(body);
        for (int i = 0; i < count; i++) samples[i] = b.getInt();
        samplesRead += count;
        return new Trace(head.station(), head.flags(), head.start(), samples);
    }

    @Override public List<String> summary() {
        return List.of("samples " + samplesRead, "telemetered " + telemetered);
    }
}
