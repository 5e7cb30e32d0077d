import java.util.*;

/** Takes a feed of trades as JSON messages and keeps turnover by venue. */
public class Main {
    public static void main(String[] args) throws Exception {
        String v = args[0];
        Decoder decoder = (Decoder) Class.forName("Decoder" + v.substring(0, 1).toUpperCase() + v.substring(1)).getDeclaredConstructor().newInstance();
        List<String> messages = messages(new Random(321), 3000);
        Map<String, Double> turnover = new TreeMap<>();
        long tags = 0;
        for (int round = 0; round < 26; round++) {
            for (String m : messages) {
                Trade t = decoder.decode(m);
                turnover.merge(t.venue, t.price * t.quantity, Double::sum);
                tags += t.tags.size();
            }
        }
        turnover.forEach((venue, sum) -> System.out.printf(Locale.ROOT, "%s %.2f%n", venue, sum));
        System.out.println(tags + " tags");
    }

    private static List<String> messages(Random r, int n) {
        String[] venues = {"XETR", "XPAR", "XWBO"}, tags = {"block", "odd-lot", "auction", "late"};
        List<String> out = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            StringBuilder b = new StringBuilder("{\"type\":\"").append(r.nextInt(16) == 0 ? "amend" : "trade").append("\",\"id\":").append(i)
                .append(",\"symbol\":\"S").append(r.nextInt(500)).append("\",\"venue\":\"").append(venues[r.nextInt(3)])
                .append("\",\"price\":").append(r.nextInt(100_000) / 100.0).append(",\"quantity\":").append(1 + r.nextInt(900)).append(",\"tags\":[");
            for (int k = r.nextInt(4); k > 0; k--) b.append('"').append(tags[k]).append(k > 1 ? "\"," : "\"");
            out.add(b.append("],\"note\":\"nothing of interest\"}").toString());
        }
        return out;
    }
}

interface Decoder {
    Trade decode(String json) throws java.io.IOException;
}
