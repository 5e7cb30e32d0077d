import java.util.ArrayList;
import java.util.List;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;

/** Parses, searches and writes made-up pages, and keeps the last ones: the same work with each release. */
public final class Pages {
    private static final int PAGES = 15;
    private static final int KEPT = 10;
    private static final int ROWS = 40;
    private static final List<Document> kept = new ArrayList<>();

    private Pages() {}

    private static String page(int number) {
        StringBuilder text = new StringBuilder("<!doctype html><html><head><title>Page ").append(number);
        text.append("</title></head><body><div id=main class='wide page'>");
        for (int row = 0; row < ROWS; row++) {
            text.append("<div class='row r").append(row % 7).append("'><h2>Row ").append(row).append("</h2><p>");
            text.append("Caf&eacute; &amp; more <b>bold <i>text</b></i> of row ").append(row);
            text.append("<a href='/item/").append(number * row).append("' title=item>item</a><br>");
            text.append("<ul><li>one<li>two<li class=last>three</ul><table><tr><td>").append(row);
            text.append("<td>cell</table></p></div>\n");
        }
        return text.append("</div></body></html>").toString();
    }

    public static void main(String[] words) {
        long sum = 0;
        for (int number = 0; number < PAGES; number++) {
            Document document = Jsoup.parse(page(number), "http://example.org/");
            for (Element link : document.select("div.row > p a[href], .r3 li.last")) {
                sum += link.absUrl("href").length() + link.text().length();
            }
            sum += document.text().length() + document.body().html().length();
            if (kept.size() == KEPT) {
                kept.remove(0);
            }
            kept.add(document);
        }
        System.out.println(sum > 0);
    }
}
