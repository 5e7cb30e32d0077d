import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import net.lingala.zip4j.ZipFile;

/** Looks up each entry of an archive by its name. */
final class Zip4jHeaders {
    private static final int ENTRIES = 250;

    public static void main(String[] args) throws Exception {
        Path file = Files.createTempFile("entries", ".zip");
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(file))) {
            for (int i = 0; i < ENTRIES; i++) {
                out.putNextEntry(new ZipEntry("entry-" + i));
                out.write(i);
            }
        }
        ZipFile archive = new ZipFile(file.toFile());
        long sum = 0;
        for (int i = 0; i < ENTRIES; i++) {
            sum += archive.getFileHeader("entry-" + i).getCrc();
        }
        Files.delete(file);
        Use.print(sum);
    }
}
