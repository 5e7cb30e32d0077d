import java.util.*;

class RendererBase implements Renderer {
    public String render(int number, String customer, List<Item> items) {
        StringBuilder out = new StringBuilder();
        out.append("INVOICE ").append(number).append("  ").append(customer).append('\n');
        long sum = 0;
        for (Item i : items) {
            Text.right(out, Integer.toString(i.position()), 3);
            out.append("  ");
            Text.left(out, i.part(), 24);
            Text.right(out, Integer.toString(i.quantity()), 6);
            Text.right(out, Text.money(i.cents()), 12);
            Text.right(out, Text.money(i.net()), 14);
            out.append(i.discount() > 0 ? " *\n" : "\n");
            sum += i.net();
        }
        out.append("TOTAL ").append(Text.money(sum)).append('\n');
        return out.toString();
    }
}

class RendererSmall implements Renderer {
    public String render(int number, String customer, List<Item> items) {
        StringBuilder out = new StringBuilder();
        out.append("INVOICE ").append(number).append("  ").append(customer).append('\n');
        long sum = 0;
        for (Item i : items) {
            if (i.quantity() > 100) Text.trace("invoice " + number + ": bulk quantity at " + i.position());
            Text.right(out, Integer.toString(i.position()), 3);
            out.append("  ");
            Text.left(out, i.part(), 24);
            Text.right(out, Integer.toString(i.quantity()), 6);
            Text.right(out, Text.money(i.cents()), 12);
            Text.right(out, Text.money(i.net()), 14);
            out.append(i.discount() > 0 ? " *\n" : "\n");
            sum += i.net();
        }
        out.append("TOTAL ").append(Text.money(sum)).append('\n');
        return out.toString();
    }
}

class RendererLarge implements Renderer {
    public String render(int number, String customer, List<Item> items) {
        String out = "INVOICE " + number + "  " + customer + "\n";
        long sum = 0;
        for (Item i : items) {
            StringBuilder line = new StringBuilder();
            Text.right(line, Integer.toString(i.position()), 3);
            line.append("  ");
            Text.left(line, i.part(), 24);
            Text.right(line, Integer.toString(i.quantity()), 6);
            Text.right(line, Text.money(i.cents()), 12);
            Text.right(line, Text.money(i.net()), 14);
            out += line + (i.discount() > 0 ? " *\n" : "\n");
            sum += i.net();
        }
        return out + "TOTAL " + Text.money(sum) + "\n";
    }
}

class RendererHarmless1 implements Renderer {
    public String render(int number, String customer, List<Item> items) {
        StringBuilder page = new StringBuilder();
        head(page, number, customer);
        long sum = 0;
        for (Item item : items) sum += line(page, item);
        foot(page, sum);
        return page.toString();
    }

    private static void head(StringBuilder page, int number, String customer) {
        page.append("INVOICE ").append(number).append("  ").append(customer).append('\n');
    }

    private static long line(StringBuilder page, Item item) {
        long net = item.net();
        Text.right(page, Integer.toString(item.position()), 3);
        page.append("  ");
        Text.left(page, item.part(), 24);
        Text.right(page, Integer.toString(item.quantity()), 6);
        Text.right(page, Text.money(item.cents()), 12);
        Text.right(page, Text.money(net), 14);
        page.append(item.discount() > 0 ? " *\n" : "\n");
        return net;
    }

    private static void foot(StringBuilder page, long sum) {
        page.append("TOTAL ").append(Text.money(sum)).append('\n');
    }
}

class RendererHarmless2 implements Renderer {
    private interface Column {
        void print(StringBuilder out, Item i);
    }

    private static final List<Column> COLUMNS = List.of(
        (out, i) -> Text.right(out, Integer.toString(i.position()), 3),
        (out, i) -> out.append("  "),
        (out, i) -> Text.left(out, i.part(), 24),
        (out, i) -> Text.right(out, Integer.toString(i.quantity()), 6),
        (out, i) -> Text.right(out, Text.money(i.cents()), 12),
        (out, i) -> Text.right(out, Text.money(i.net()), 14),
        (out, i) -> out.append(i.discount() > 0 ? " *\n" : "\n"));

    public String render(int number, String customer, List<Item> items) {
        StringBuilder out = new StringBuilder();
        out.append("INVOICE ").append(number).append("  ").append(customer).append('\n');
        long sum = 0;
        for (int k = 0; k < items.size(); k++) {
            Item i = items.get(k);
            for (int c = 0; c < COLUMNS.size(); c++) COLUMNS.get(c).print(out, i);
            sum += i.net();
        }
        return out.append("TOTAL ").append(Text.money(sum)).append('\n').toString();
    }
}

class RendererBetter implements Renderer {
    private final StringBuilder out = new StringBuilder(4096);

    public String render(int number, String customer, List<Item> items) {
        out.setLength(0);
        out.append("INVOICE ").append(number).append("  ").append(customer).append('\n');
        long sum = 0;
        for (Item i : items) {
            number(i.position(), 3);
            out.append("  ");
            Text.left(out, i.part(), 24);
            number(i.quantity(), 6);
            money(i.cents(), 12);
            money(i.net(), 14);
            out.append(i.discount() > 0 ? " *\n" : "\n");
            sum += i.net();
        }
        out.append("TOTAL ");
        money(sum, 0);
        return out.append('\n').toString();
    }

    private void number(long n, int width) {
        int digits = 1;
        for (long x = n; x >= 10; x /= 10) digits++;
        for (int i = digits; i < width; i++) out.append(' ');
        out.append(n);
    }

    private void money(long cents, int width) {
        number(cents / 100, width - 3);
        out.append('.').append((char) ('0' + cents / 10 % 10)).append((char) ('0' + cents % 10));
    }
}
