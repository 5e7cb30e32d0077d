import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.pdfbox.cos.COSDictionary;
import org.apache.pdfbox.filter.Filter;
import org.apache.pdfbox.filter.FilterFactory;

/** Decodes compressed streams that are damaged, and counts them. */
final class PdfboxFlate {
    private static final int STREAMS = 8000;
    private static final Logger QUIET = Logger.getLogger("org.apache.pdfbox");

    public static void main(String[] args) throws Exception {
        QUIET.setLevel(Level.OFF);
        Filter filter = FilterFactory.INSTANCE.getFilter("FlateDecode");
        byte[] damaged = "this is not compressed".getBytes();
        int failed = 0;
        for (int i = 0; i < STREAMS; i++) {
            try {
                filter.decode(new ByteArrayInputStream(damaged), new ByteArrayOutputStream(), new COSDictionary(), 0);
            } catch (IOException e) {
                failed++;
            }
        }
        Use.print(failed);
    }
}
