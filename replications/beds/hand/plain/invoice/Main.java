import java.util.*;
import java.util.zip.CRC32;
import java.nio.charset.StandardCharsets;

/** Prints the monthly invoices of a parts dealer as plain text and sums them up. */
public class Main {
    public static void main(String[] args) throws ReflectiveOperationException {
        String v = args[0];
        Renderer renderer = (Renderer) Class.forName("Renderer" + v.substring(0, 1).toUpperCase() + v.substring(1)).getDeclaredConstructor().newInstance();
        Random r = new Random(4711);
        String[] parts = {"hex bolt M8", "washer 8 mm", "bearing 6204", "v-belt SPA 1250", "oil seal 30x47x7", "grease cartridge", "spring pin 4x20"};
        CRC32 crc = new CRC32();
        long chars = 0, total = 0;
        for (int no = 1; no <= 20_000; no++) {
            List<Item> items = new ArrayList<>();
            int n = 10 + r.nextInt(30);
            for (int i = 0; i < n; i++) items.add(new Item(i + 1, parts[r.nextInt(parts.length)], 1 + r.nextInt(200), 5 + r.nextInt(9000), r.nextInt(10) == 0 ? 5 : 0));
            String text = renderer.render(no, "Customer " + r.nextInt(900), items);
            chars += text.length();
            total += items.stream().mapToLong(Item::net).sum();
            if (no % 25 == 0) crc.update(text.getBytes(StandardCharsets.UTF_8));
        }
        System.out.println(chars + " characters, total " + total + ", checksum " + Long.toHexString(crc.getValue()));
    }
}

record Item(int position, String part, int quantity, long cents, int discount) {
    long net() {
        return quantity * cents * (100 - discount) / 100;
    }
}

interface Renderer {
    String render(int number, String customer, List<Item> items);
}

final class Text {
    static final boolean TRACE = Boolean.getBoolean("invoice.trace");

    static void trace(String s) {
        if (TRACE) System.err.println(s);
    }

    static String money(long cents) {
        long c = cents % 100;
        return cents / 100 + (c < 10 ? ".0" : ".") + c;
    }

    static void left(StringBuilder b, String s, int w) {
        b.append(s);
        for (int i = s.length(); i < w; i++) b.append(' ');
    }

    static void right(StringBuilder b, String s, int w) {
        for (int i = s.length(); i < w; i++) b.append(' ');
        b.append(s);
    }
}
