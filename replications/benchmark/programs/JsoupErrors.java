import java.util.ArrayList;
import java.util.List;
import org.jsoup.Jsoup;

/** Parses pages with many mistakes and keeps the title of each. */
final class JsoupErrors {
    private static final int PAGES = 300;

    public static void main(String[] args) throws Exception {
        String page = "<table><tr><td></b></i></span><p></td></p></tr></div>text &nosuch; more".repeat(300);
        List<String> kept = new ArrayList<>();
        for (int i = 0; i < PAGES; i++) {
            kept.add(Jsoup.parse(page).title());
        }
        Use.print(kept);
    }
}
