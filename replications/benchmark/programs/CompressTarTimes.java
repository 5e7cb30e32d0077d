import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/** Reads an archive whose files have times with very long fractions. */
final class CompressTarTimes {
    private static final int FILES = 12;
    private static final int DIGITS = 10_000;

    public static void main(String[] args) throws Exception {
        String time = " mtime=1647221103." + "7".repeat(DIGITS) + "\n";
        byte[] record = (time.length() + 5 + time).getBytes(StandardCharsets.US_ASCII);
        var bytes = new ByteArrayOutputStream();
        try (var out = new TarArchiveOutputStream(bytes)) {
            for (int i = 0; i < FILES; i++) {
                var header = new TarArchiveEntry("header" + i, TarArchiveEntry.LF_PAX_EXTENDED_HEADER_LC);
                header.setSize(record.length);
                out.putArchiveEntry(header);
                out.write(record);
                out.closeArchiveEntry();
                out.putArchiveEntry(new TarArchiveEntry("file" + i));
                out.closeArchiveEntry();
            }
        }
        long sum = 0;
        try (var in = new TarArchiveInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            for (var entry = in.getNextTarEntry(); entry != null; entry = in.getNextTarEntry()) {
                sum += entry.getModTime().getTime();
            }
        }
        System.out.println(sum);
        Use.print();
    }
}
