import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.zip.CRC32;

/** Books a day of postings into an append-only ledger file and checks the balance afterwards. */
public class Main {
    public static void main(String[] args) throws Exception {
        Path dir = Files.createTempDirectory("ledger");
        Path book = dir.resolve("book.dat");
        try {
            String v = args[0];
            Class<?> c = Class.forName(Character.toUpperCase(v.charAt(0)) + v.substring(1) + "Ledger");
            Random r = new Random(2);
            long[] balance = new long[64];
            try (Ledger ledger = (Ledger) c.getDeclaredConstructor(Path.class).newInstance(book)) {
                for (int i = 0; i < 640_000; i++) {
                    int from = r.nextInt(64), to = r.nextInt(64);
                    long cents = 1 + r.nextInt(100_000);
                    balance[from] -= cents;
                    balance[to] += cents;
                    ledger.post(new Posting(i, from, to, cents, "ref " + Integer.toString(r.nextInt(1 << 20), 36)));
                }
            }
            System.out.println("balance " + Arrays.hashCode(balance) + ", " + check(book));
        } finally {
            for (File f : dir.toFile().listFiles()) f.delete();
            Files.delete(dir);
        }
    }

    private static String check(Path book) throws IOException {
        CRC32 crc = new CRC32();
        byte[] b = new byte[1 << 16];
        try (InputStream in = Files.newInputStream(book)) {
            for (int n; (n = in.read(b)) > 0; ) crc.update(b, 0, n);
        }
        return Files.size(book) + " bytes, crc " + Long.toHexString(crc.getValue());
    }
}

record Posting(int number, int from, int to, long cents, String reference) {
    void write(DataOutputStream out) throws IOException {
        out.writeInt(number);
        out.writeByte(from);
        out.writeByte(to);
        out.writeLong(cents);
        out.writeUTF(reference);
    }
}

interface Ledger extends Closeable {
    void post(Posting p) throws IOException;
}
