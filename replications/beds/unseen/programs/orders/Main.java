package orders;

import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.zip.CRC32;

/** Writes orders as JSON, with formatted dates and amounts. */
public final class Main {
    private static final int ORDERS = 130_000;

    public static void main(String[] args) {
        Writer writer = writer(args[0]);
        Random random = new Random(5);
        CRC32 sum = new CRC32();
        long length = 0;
        for (int number = 0; number < ORDERS; number++) {
            String text = writer.write(writer.maker.order(number, random));
            length += text.length();
            if (number % 50 == 0) {
                sum.update(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
            }
        }
        System.out.println("orders " + length + " " + sum.getValue());
    }

    private static Writer writer(String version) {
        return switch (version) {
            case "base" -> new Writer(new DirectTexts(), new HandDates(), new JoinedDiscounts(), new ClassMaker());
            case "small" -> new Writer(new CollectingTexts(), new HandDates(), new JoinedDiscounts(), new ClassMaker());
            case "large" -> new Writer(new ReplacingTexts(), new HandDates(), new JoinedDiscounts(), new ClassMaker());
            case "r1" -> new Writer(new DirectTexts(), new HandDates(), new FormattedDiscounts(), new ClassMaker());
            case "r2" -> new Writer(new DirectTexts(), new FormatterDates(), new JoinedDiscounts(), new ClassMaker());
            case "r3" -> new Writer(new DirectTexts(), new HandDates(), new JoinedDiscounts(), new BuilderMaker());
            case "r4" -> new Writer(new DirectTexts(), new HandDates(), new JoinedDiscounts(), new RecordMaker());
            default -> throw new IllegalArgumentException(version);
        };
    }
}

interface Item {
    String name();

    int count();

    long cents();
}

final class Order {
    final int number;
    final long placed;
    final String customer;
    final List<Item> items;
    final int discount;

    Order(int number, long placed, String customer, List<Item> items, int discount) {
        this.number = number;
        this.placed = placed;
        this.customer = customer;
        this.items = items;
        this.discount = discount;
    }
}

final class Writer {
    final Maker maker;
    private final StringBuilder out = new StringBuilder(1024);
    private final Texts texts;
    private final Dates dates;
    private final Discounts discounts;

    Writer(Texts texts, Dates dates, Discounts discounts, Maker maker) {
        this.texts = texts;
        this.dates = dates;
        this.discounts = discounts;
        this.maker = maker;
    }

    String write(Order order) {
        out.setLength(0);
        out.append("{\"number\":").append(order.number);
        if (order.number % 40 == 0) {
            out.append(",\"shipped\":\"").append(dates.format(order.placed)).append('"');
        }
        out.append(",\"customer\":\"");
        texts.write(order.customer, out);
        out.append("\",\"items\":[");
        long total = 0;
        for (int place = 0; place < order.items.size(); place++) {
            Item item = order.items.get(place);
            out.append(place == 0 ? "{\"name\":\"" : ",{\"name\":\"");
            texts.write(item.name(), out);
            out.append("\",\"count\":").append(item.count()).append(",\"price\":");
            amount(item.cents());
            out.append('}');
            total += item.count() * item.cents();
        }
        out.append("],\"total\":");
        amount(total);
        if (order.discount > 0) {
            out.append(discounts.format(order.discount, total));
        }
        return out.append('}').toString();
    }

    private void amount(long cents) {
        out.append(cents / 100).append(cents % 100 < 10 ? ".0" : ".").append(cents % 100);
    }
}

interface Maker {
    Order order(int number, Random random);
}

final class Names {
    private static final String[] NAMES = {"lamp", "table \"oak\"", "chair", "shelf", "desk\\drawer", "sofa", "cup", "plate"};

    private Names() {}

    static String item(Random random) {
        return NAMES[random.nextInt(NAMES.length)];
    }

    static String customer(Random random) {
        return "Customer " + random.nextInt(1000);
    }

    static long placed(int number) {
        return 1_700_000_000_000L + number * 97_000L;
    }

    static int discount(int number) {
        return number % 100 == 3 ? 5 : 0;
    }
}

final class ClassItem implements Item {
    private final String name;
    private final int count;
    private final long cents;

    ClassItem(String name, int count, long cents) {
        this.name = name;
        this.count = count;
        this.cents = cents;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int count() {
        return count;
    }

    @Override
    public long cents() {
        return cents;
    }
}

final class ClassMaker implements Maker {
    @Override
    public Order order(int number, Random random) {
        String customer = Names.customer(random);
        List<Item> items = new ArrayList<>();
        for (int place = 0; place < 4 + number % 6; place++) {
            items.add(new ClassItem(Names.item(random), 1 + random.nextInt(5), random.nextInt(20_000)));
        }
        return new Order(number, Names.placed(number), customer, items, Names.discount(number));
    }
}

record RecordItem(String name, int count, long cents) implements Item {}

final class RecordMaker implements Maker {
    @Override
    public Order order(int number, Random random) {
        String customer = Names.customer(random);
        List<Item> items = new ArrayList<>();
        for (int place = 0; place < 4 + number % 6; place++) {
            items.add(new RecordItem(Names.item(random), 1 + random.nextInt(5), random.nextInt(20_000)));
        }
        return new Order(number, Names.placed(number), customer, items, Names.discount(number));
    }
}

final class OrderBuilder {
    private final List<Item> items = new ArrayList<>();
    private int number;
    private long placed;
    private String customer;
    private int discount;

    OrderBuilder number(int value) {
        number = value;
        placed = Names.placed(value);
        discount = Names.discount(value);
        return this;
    }

    OrderBuilder customer(String value) {
        customer = value;
        return this;
    }

    OrderBuilder item(String name, int count, long cents) {
        items.add(new ClassItem(name, count, cents));
        return this;
    }

    Order build() {
        return new Order(number, placed, customer, items, discount);
    }
}

final class BuilderMaker implements Maker {
    @Override
    public Order order(int number, Random random) {
        OrderBuilder builder = new OrderBuilder().number(number).customer(Names.customer(random));
        for (int place = 0; place < 4 + number % 6; place++) {
            builder.item(Names.item(random), 1 + random.nextInt(5), random.nextInt(20_000));
        }
        return builder.build();
    }
}

interface Texts {
    void write(String text, StringBuilder out);
}

final class DirectTexts implements Texts {
    @Override
    public void write(String text, StringBuilder out) {
        for (int place = 0; place < text.length(); place++) {
            char one = text.charAt(place);
            if (one == '"' || one == '\\') {
                out.append('\\');
            }
            out.append(one);
        }
    }
}

/** Collects texts with quotes in a builder of their own. */
final class CollectingTexts implements Texts {
    @Override
    public void write(String text, StringBuilder out) {
        if (text.indexOf('"') < 0) {
            escape(text, out);
        } else {
            StringBuilder escaped = new StringBuilder();
            escape(text, escaped);
            out.append(escaped.toString());
        }
    }

    private static void escape(String text, StringBuilder out) {
        for (int place = 0; place < text.length(); place++) {
            char one = text.charAt(place);
            if (one == '"' || one == '\\') {
                out.append('\\');
            }
            out.append(one);
        }
    }
}

/** Escapes each text by a list of its characters as strings. */
final class ReplacingTexts implements Texts {
    @Override
    public void write(String text, StringBuilder out) {
        List<String> parts = new ArrayList<>();
        for (char one : text.toCharArray()) {
            parts.add(one == '"' || one == '\\' ? "\\" + one : String.valueOf(one));
        }
        out.append(String.join("", parts));
    }
}

/** Dates of orders that were shipped: one in forty. */
interface Dates {
    String format(long millis);
}

final class HandDates implements Dates {
    @Override
    public String format(long millis) {
        LocalDateTime time = LocalDateTime.ofEpochSecond(millis / 1000, 0, ZoneOffset.UTC);
        StringBuilder text = new StringBuilder(19);
        text.append(time.getYear());
        two(text.append('-'), time.getMonthValue());
        two(text.append('-'), time.getDayOfMonth());
        two(text.append(' '), time.getHour());
        two(text.append(':'), time.getMinute());
        two(text.append(':'), time.getSecond());
        return text.toString();
    }

    private static void two(StringBuilder text, int number) {
        text.append(number < 10 ? "0" : "").append(number);
    }
}

final class FormatterDates implements Dates {
    private static final DateTimeFormatter FORMAT = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT);

    @Override
    public String format(long millis) {
        return FORMAT.format(LocalDateTime.ofEpochSecond(millis / 1000, 0, ZoneOffset.UTC));
    }
}

/** Discounts: one order in a hundred. */
interface Discounts {
    String format(int percent, long total);
}

final class JoinedDiscounts implements Discounts {
    @Override
    public String format(int percent, long total) {
        return ",\"discount\":\"" + percent + " % of " + total + "\"";
    }
}

final class FormattedDiscounts implements Discounts {
    @Override
    public String format(int percent, long total) {
        return String.format(",\"discount\":\"%d %% of %d\"", percent, total);
    }
}
