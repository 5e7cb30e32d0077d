import java.util.ArrayList;
import java.util.List;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.parser.Parser;

/** Parses documents with many tags that HTML does not know, and keeps them. */
final class JsoupCustomTags {
    private static final int DOCUMENTS = 150;

    public static void main(String[] args) throws Exception {
        String text = "<orders>" + "<order><item/><price/><name/></order>".repeat(1000) + "</orders>";
        List<Document> kept = new ArrayList<>();
        for (int i = 0; i < DOCUMENTS; i++) {
            kept.add(Jsoup.parse(text, "", Parser.xmlParser()));
        }
        Use.print(kept);
    }
}
