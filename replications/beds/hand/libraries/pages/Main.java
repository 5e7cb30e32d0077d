import java.util.*;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;

/** Takes the results of league matches out of HTML pages and adds up the table. */
public class Main {
    public static void main(String[] args) {
        Scraper scraper = Scrapers.named(args[0]);
        Random r = new Random(1974);
        Map<String, Integer> points = new TreeMap<>();
        int goals = 0;
        for (int day = 0; day < 160; day++) {
            Document page = Jsoup.parse(page(r, day));
            for (Match m : scraper.matches(page)) {
                goals += m.homeGoals() + m.guestGoals();
                points.merge(m.home(), m.homeGoals() > m.guestGoals() ? 3 : m.homeGoals() == m.guestGoals() ? 1 : 0, Integer::sum);
                points.merge(m.guest(), m.guestGoals() > m.homeGoals() ? 3 : m.homeGoals() == m.guestGoals() ? 1 : 0, Integer::sum);
            }
        }
        System.out.println(goals + " goals");
        System.out.println(points);
    }

    private static String page(Random r, int day) {
        StringBuilder b = new StringBuilder("<html><head><title>Day " + day + "</title></head><body><div class='ad'><table><tr><td>buy</td></tr></table></div>");
        b.append("<div id='results'><h2>Results</h2><table class='matches'>");
        for (int i = 0; i < 60; i++) {
            b.append("<tr class='match ").append(i % 2 == 0 ? "even" : "odd").append("'><td class='home'>Team ").append((char) ('A' + r.nextInt(18)))
                .append("</td><td class='guest'>Team ").append((char) ('A' + r.nextInt(18))).append("</td><td class='score'><b>").append(r.nextInt(5)).append(":").append(r.nextInt(5))
                .append("</b></td><td class='note'>").append(r.nextInt(5) == 0 ? "<i>rain</i>" : "").append("</td></tr>");
        }
        return b.append("</table></div><p>footer</p></body></html>").toString();
    }
}

record Match(String home, String guest, int homeGoals, int guestGoals) {
    static Match of(String home, String guest, String score) {
        int colon = score.indexOf(':');
        return new Match(home, guest, Integer.parseInt(score.substring(0, colon)), Integer.parseInt(score.substring(colon + 1)));
    }
}

interface Scraper {
    List<Match> matches(Document page);
}

class Scrapers {
    static Scraper named(String v) {
        return switch (v) {
            case "base" -> new ScraperBase();
            case "small" -> new ScraperSmall();
            case "large" -> new ScraperLarge();
            case "harmless1" -> new ScraperHarmless1();
            case "harmless2" -> new ScraperHarmless2();
            case "better" -> new ScraperBetter();
            default -> throw new IllegalArgumentException(v);
        };
    }
}
