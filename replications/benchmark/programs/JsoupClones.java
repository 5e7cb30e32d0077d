import java.util.ArrayList;
import java.util.List;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;

/** Parses one deeply nested page, and copies it again and again. */
final class JsoupClones {
    private static final int DEPTH = 1000;
    private static final int COPIES = 1500;

    public static void main(String[] args) throws Exception {
        Document page = Jsoup.parse("<div>one ".repeat(DEPTH), "https://example.org/");
        List<String> kept = new ArrayList<>();
        for (int i = 0; i < COPIES; i++) {
            kept.add(page.clone().title());
        }
        Use.print(kept);
    }
}
