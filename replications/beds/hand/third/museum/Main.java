import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/** A museum prints the labels of its exhibits and checks their length. */
public class Main {
    public static void main(String[] args) throws Exception {
        Labels labels = Choice.of(Labels.class, "Labels", args[0]);
        Random random = new Random(1871);
        List<String> all = List.of("oak", "bronze", "linen", "ivory", "slate", "glass", "tin", "parchment");
        List<Exhibit> exhibits = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            List<String> materials = new ArrayList<>();
            for (int m = random.nextInt(5) + 1; m > 0; m--) materials.add(all.get(random.nextInt(all.size())));
            exhibits.add(new Exhibit(i, "object " + random.nextInt(100000), "hall " + random.nextInt(12), 900 + random.nextInt(1000), materials, random.nextInt(5) == 0));
        }
        long length = 0;
        int hash = 0;
        for (int copy = 0; copy < 6; copy++) {
            for (Exhibit e : exhibits) {
                String text = labels.label(e);
                length += text.length();
                hash = hash * 31 + text.hashCode();
            }
        }
        System.out.println("labels " + exhibits.size() + " length " + length + " check " + Integer.toHexString(hash));
        System.out.println("lent " + exhibits.stream().filter(Exhibit::isLent).map(e -> String.valueOf(e.getNumber())).limit(10).collect(Collectors.joining(",")));
    }
}
