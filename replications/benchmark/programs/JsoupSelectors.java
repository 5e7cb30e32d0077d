import org.jsoup.Jsoup;
import org.jsoup.parser.Parser;
import org.jsoup.select.Evaluator;
import org.jsoup.select.QueryParser;

/** Compiles a selector of three levels once, and selects with it in many small documents. */
final class JsoupSelectors {
    private static final int DOCUMENTS = 10_000;

    public static void main(String[] args) throws Exception {
        Evaluator selector = QueryParser.parse("a b c");
        long found = 0;
        for (int i = 0; i < DOCUMENTS; i++) {
            var document = Jsoup.parse("<a><b><c>" + i + "</c></b></a>", "", Parser.xmlParser());
            found += document.select(selector).size();
        }
        System.out.println(found);
        Use.print(selector);
    }
}
