import java.io.IOException;
import java.util.List;

/** Makes small pictures of scanned paintings. */
interface Renderer {
    Thumb render(Scan scan, int step) throws IOException;

    List<String> summary();
}
