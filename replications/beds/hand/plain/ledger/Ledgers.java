import java.io.*;
import java.nio.ByteBuffer;
import java.nio.file.*;

class BaseLedger implements Ledger {
    private final DataOutputStream out;
    private int pending;

    BaseLedger(Path book) throws IOException {
        out = new DataOutputStream(new BufferedOutputStream(new FileOutputStream(book.toFile()), 16_384));
    }

    public void post(Posting p) throws IOException {
        p.write(out);
        if (++pending == 64) {
            out.flush();
            pending = 0;
        }
    }

    public void close() throws IOException {
        out.close();
    }
}

/** Remembers the last number booked in a side file, so that a restart need not read the book. */
class SmallLedger implements Ledger {
    private final DataOutputStream out;
    private final RandomAccessFile last;
    private int pending;

    SmallLedger(Path book) throws IOException {
        out = new DataOutputStream(new BufferedOutputStream(new FileOutputStream(book.toFile()), 16_384));
        last = new RandomAccessFile(book.resolveSibling("last").toFile(), "rw");
    }

    public void post(Posting p) throws IOException {
        p.write(out);
        if (++pending == 64) {
            out.flush();
            pending = 0;
        }
        if (p.number() % 800 == 0) {
            last.seek(0);
            last.write(ByteBuffer.allocate(4).putInt(p.number()).array());
        }
    }

    public void close() throws IOException {
        out.close();
        last.close();
    }
}

/** Every posting is on its way before the caller hears of it. */
class LargeLedger implements Ledger {
    private final DataOutputStream out;

    LargeLedger(Path book) throws IOException {
        out = new DataOutputStream(new BufferedOutputStream(new FileOutputStream(book.toFile()), 16_384));
    }

    public void post(Posting p) throws IOException {
        p.write(out);
        out.flush();
    }

    public void close() throws IOException {
        out.close();
    }
}

class Harmless1Ledger implements Ledger {
    private static final int BATCH = 64, BUFFER = 1 << 14;
    private final DataOutputStream book;
    private int left = BATCH;

    Harmless1Ledger(Path path) throws IOException {
        OutputStream raw = new FileOutputStream(path.toFile());
        book = new DataOutputStream(new BufferedOutputStream(raw, BUFFER));
    }

    @Override public void close() throws IOException {
        book.close();
    }

    @Override public void post(Posting posting) throws IOException {
        posting.write(book);
        left--;
        if (left == 0) endBatch();
    }

    private void endBatch() throws IOException {
        book.flush();
        left = BATCH;
    }
}

class Harmless2Ledger implements Ledger {
    private final ByteArrayOutputStream batch = new ByteArrayOutputStream(16_384);
    private final DataOutputStream data = new DataOutputStream(batch);
    private final OutputStream book;
    private int pending;

    Harmless2Ledger(Path book) throws IOException {
        this.book = Files.newOutputStream(book);
    }

    public void post(Posting p) throws IOException {
        p.write(data);
        if (++pending % 64 == 0) write();
    }

    private void write() throws IOException {
        batch.writeTo(book);
        batch.reset();
    }

    public void close() throws IOException {
        write();
        book.close();
    }
}

class BetterLedger implements Ledger {
    private final DataOutputStream out;
    private int pending;

    BetterLedger(Path book) throws IOException {
        out = new DataOutputStream(new BufferedOutputStream(new FileOutputStream(book.toFile()), 16_384));
    }

    public void post(Posting p) throws IOException {
        p.write(out);
        if (++pending == 448) {
            out.flush();
            pending = 0;
        }
    }

    public void close() throws IOException {
        out.close();
    }
}
