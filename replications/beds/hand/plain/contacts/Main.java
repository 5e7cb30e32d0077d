import java.util.*;

/** Finds contacts entered twice: same post code, and names that differ by a slip or two. */
public class Main {
    public static void main(String[] args) {
        List<Contact> all = contacts(new Random(64));
        Matcher m = Matchers.get(args[0]);
        Map<String, List<Contact>> byCode = new TreeMap<>();
        for (Contact c : all) byCode.computeIfAbsent(c.postCode(), k -> new ArrayList<>()).add(c);
        int pairs = 0;
        long ids = 0;
        for (List<Contact> block : byCode.values()) {
            for (int[] p : m.twins(block)) {
                pairs++;
                ids += (long) block.get(p[0]).id() * block.get(p[1]).id();
            }
        }
        System.out.println(all.size() + " contacts, " + byCode.size() + " post codes, " + pairs + " pairs, " + ids);
    }

    private static List<Contact> contacts(Random r) {
        String[] first = {"Anna", "Bernhard", "Charlotte", "Dietmar", "Eva", "Friederike", "Gustav", "Hannelore"};
        String[] last = {"Schmidt", "Baumgartner", "Lindholm", "Petersen", "Rosenthal", "Vogelsang", "Zimmermann", "Kowalski", "Oberhauser"};
        List<Contact> out = new ArrayList<>();
        for (int i = 0; i < 14_000; i++) {
            StringBuilder b = new StringBuilder(first[r.nextInt(8)]).append(' ').append(last[r.nextInt(9)]);
            for (int k = r.nextInt(3); k > 0; k--) b.setCharAt(r.nextInt(b.length()), (char) ('a' + r.nextInt(26)));
            if (r.nextInt(3) == 0) b.append('-').append(last[r.nextInt(9)]);
            out.add(new Contact(i, b.toString(), Integer.toString(10_000 + r.nextInt(60))));
        }
        return out;
    }
}

record Contact(int id, String name, String postCode) { }

interface Matcher {
    int SLIPS = 2;

    /** Index pairs, the lower index first, in order. */
    List<int[]> twins(List<Contact> block);
}

class Matchers {
    static Matcher get(String v) {
        return switch (v) {
            case "base" -> new MatcherBase();
            case "small" -> new MatcherSmall();
            case "large" -> new MatcherLarge();
            case "harmless1" -> new MatcherHarmless1();
            case "harmless2" -> new MatcherHarmless2();
            case "better" -> new MatcherBetter();
            default -> throw new IllegalArgumentException(v);
        };
    }
}
