import java.util.*;

/** Dispatches request paths of a small web shop to named handlers and counts the hits. */
public class Main {
    interface Router {
        /** "handler key=value ..." or "404". */
        String route(String path);
    }

    static final String[][] TABLE = {
        {"product", "/shop/([a-z]+)/product/(\\d+)"}, {"category", "/shop/([a-z]+)/category/([a-z-]+)"},
        {"basket", "/shop/([a-z]+)/basket/(\\d+)"}, {"order", "/orders/(\\d{4})/(\\d+)"}};

    public static void main(String[] args) {
        Router router = switch (args[0]) {
            case "base" -> new RouterBase();
            case "small" -> new RouterSmall();
            case "large" -> new RouterLarge();
            case "harmless1" -> new RouterHarmless1();
            case "harmless2" -> new RouterHarmless2();
            case "better" -> new RouterBetter();
            default -> throw new IllegalArgumentException(args[0]);
        };
        Random r = new Random(99);
        String[] shops = {"berlin", "lyon", "graz"}, words = {"garden-tools", "lamps", "books"};
        Map<String, Integer> hits = new TreeMap<>();
        long length = 0;
        for (int i = 0; i < 350_000; i++) {
            String shop = shops[r.nextInt(3)];
            String path = switch (r.nextInt(6)) {
                case 0, 1 -> "/shop/" + shop + "/product/" + r.nextInt(5000);
                case 2 -> "/shop/" + shop + "/category/" + words[r.nextInt(3)];
                case 3 -> "/shop/" + shop + "/basket/" + r.nextInt(100_000) + (r.nextInt(2) == 0 ? "/" : "");
                case 4 -> "/orders/20" + (10 + r.nextInt(15)) + "/" + r.nextInt(9000);
                default -> "/favicon-" + r.nextInt(40) + ".ico";
            };
            String target = router.route(path);
            length += target.length();
            int blank = target.indexOf(' ');
            hits.merge(blank < 0 ? target : target.substring(0, blank), 1, Integer::sum);
        }
        System.out.println(hits + " " + length);
    }
}
