package buto.probes.agent;

import java.io.IOException;
import java.io.RandomAccessFile;

/** A small file below /proc, kept open and read anew each time; other systems have none. */
final class ProcFile {
    /** What was read last. */
    final byte[] bytes = new byte[1024];

    private final RandomAccessFile file;

    private ProcFile(RandomAccessFile file) {
        this.file = file;
    }

    /** Opens the file, or returns null where there is none. */
    static ProcFile open(String path) {
        try {
            return new ProcFile(new RandomAccessFile(path, "r"));
        } catch (IOException otherSystem) {
            return null;
        }
    }

    /** Reads its first kilobyte and returns how many bytes those were. */
    int read() throws IOException {
        file.seek(0);
        return Math.max(0, file.read(bytes));
    }

    void close() {
        try {
            file.close();
        } catch (IOException closedAllTheSame) {
            // There is nothing left to release.
        }
    }
}
