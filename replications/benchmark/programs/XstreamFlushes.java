import com.thoughtworks.xstream.io.xml.PrettyPrintWriter;
import java.io.FileWriter;

/** Writes a document of many elements to a file. */
final class XstreamFlushes {
    private static final int ELEMENTS = 100_000;

    public static void main(String[] args) throws Exception {
        try (var file = new FileWriter("/dev/null")) {
            var writer = new PrettyPrintWriter(file);
            writer.startNode("list");
            for (int i = 0; i < ELEMENTS; i++) {
                writer.startNode("item");
                writer.setValue("text");
                writer.endNode();
            }
            writer.endNode();
        }
        Use.print();
    }
}
