package buto.testprograms.changes.servers;

import buto.testprograms.changes.Change;
import buto.testprograms.changes.Workload;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Files that are read again and again. The regression: some are left open. */
public final class Documents implements Workload {
    private final List<InputStream> open = new ArrayList<>();
    private final Path document;
    private final Change change;
    private final int leftEvery;
    private long checksum;

    public Documents(Change change) throws IOException {
        this.change = change;
        this.leftEvery = change.number(Integer.MAX_VALUE, 400, 40);
        this.document = Files.createTempFile("document", ".txt");
        Files.write(document, new byte[8192]);
    }

    @Override
    public void request(int number) throws IOException {
        InputStream in = new FileInputStream(document.toFile());
        checksum += change == Change.REFACTORED ? lengthOf(in) : length(in);
        release(in, number);
    }

    private static long length(InputStream in) throws IOException {
        byte[] part = new byte[1024];
        long length = 0;
        for (int read = in.read(part); read >= 0; read = in.read(part)) {
            length += read;
        }
        return length;
    }

    private static long lengthOf(InputStream in) throws IOException {
        byte[] part = new byte[1024];
        long length = 0;
        int read;
        while ((read = in.read(part)) != -1) {
            length += read;
        }
        return length;
    }

    private void release(InputStream in, int number) throws IOException {
        if (number % leftEvery == leftEvery - 1) {
            open.add(in);
        } else {
            in.close();
        }
    }

    @Override
    public long checksum() {
        return checksum;
    }

    @Override
    public void close() throws IOException {
        for (InputStream in : open) {
            in.close();
        }
        Files.delete(document);
    }
}
