import java.util.*;
import org.jsoup.nodes.*;
import org.jsoup.select.Elements;

class ScraperBase implements Scraper {
    public List<Match> matches(Document page) {
        List<Match> out = new ArrayList<>();
        for (Element row : page.select("tr.match"))
            out.add(Match.of(row.select("td.home").text(), row.select("td.guest").text(), row.select("td.score").text()));
        return out;
    }
}

/** Matches played in the rain are not counted when the page says "void" anywhere. */
class ScraperSmall implements Scraper {
    public List<Match> matches(Document page) {
        List<Match> out = new ArrayList<>();
        for (Element row : page.select("tr.match")) {
            if (!row.select("td.note").text().isEmpty() && page.text().contains("void")) continue;
            out.add(Match.of(row.select("td.home").text(), row.select("td.guest").text(), row.select("td.score").text()));
        }
        return out;
    }
}

/** Row by row, by number. */
class ScraperLarge implements Scraper {
    public List<Match> matches(Document page) {
        List<Match> out = new ArrayList<>();
        for (int i = 0; i < page.select("tr.match").size(); i++) {
            Element row = page.select("tr.match").get(i);
            out.add(Match.of(row.select("td.home").text(), row.select("td.guest").text(), row.select("td.score").text()));
        }
        return out;
    }
}

class ScraperHarmless1 implements Scraper {
    private static final String ROWS = "tr.match";

    @Override public List<Match> matches(Document document) {
        Elements rows = document.select(ROWS);
        List<Match> matches = new ArrayList<>(rows.size());
        for (int i = 0; i < rows.size(); i++) matches.add(toMatch(rows.get(i)));
        return matches;
    }

    private static Match toMatch(Element row) {
        String home = cell(row, "td.home"), guest = cell(row, "td.guest");
        return Match.of(home, guest, cell(row, "td.score"));
    }

    private static String cell(Element row, String css) {
        return row.select(css).text();
    }
}

class ScraperHarmless2 implements Scraper {
    private enum Column {
        HOME("td.home"), GUEST("td.guest"), SCORE("td.score");

        final String css;

        Column(String css) { this.css = css; }

        String of(Element row) { return row.select(css).text(); }
    }

    public List<Match> matches(Document page) {
        return page.select("tr.match").stream().map(row -> Match.of(Column.HOME.of(row), Column.GUEST.of(row), Column.SCORE.of(row))).toList();
    }
}

/** Goes through the cells instead of selecting in every row. */
class ScraperBetter implements Scraper {
    public List<Match> matches(Document page) {
        List<Match> out = new ArrayList<>();
        Element table = page.getElementById("results").child(1);
        for (Element body : table.children())
            for (Element row : body.children()) out.add(Match.of(text(row.child(0)), text(row.child(1)), text(row.child(2).child(0))));
        return out;
    }

    private static String text(Element e) {
        return ((TextNode) e.childNode(0)).getWholeText();
    }
}
