package csv;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;

/** Reads files of comma-separated values with quoted fields, and adds amounts up by region. */
public final class Main {
    private static final int FILES = 750;
    private static final int ROWS = 3_000;

    public static void main(String[] args) {
        Reader reader = reader(args[0]);
        Random random = new Random(3);
        String file = file(random);
        long sum = 0;
        String last = "";
        for (int number = 0; number < FILES; number++) {
            Report report = reader.read(file);
            sum += report.total();
            last = report.best(3);
        }
        System.out.println("csv " + sum + " " + last);
    }

    private static Reader reader(String version) {
        return switch (version) {
            case "base" -> new Reader(new ReusingFields(), new LoopHeader(), new ClassRows(), new HashSums(), new LoopNumbers());
            case "small" -> new Reader(new CopyingFields(), new LoopHeader(), new ClassRows(), new HashSums(), new LoopNumbers());
            case "large" -> new Reader(new JoiningFields(), new LoopHeader(), new ClassRows(), new HashSums(), new LoopNumbers());
            case "r1" -> new Reader(new ReusingFields(), new RegexHeader(), new ClassRows(), new HashSums(), new LoopNumbers());
            case "r2" -> new Reader(new ReusingFields(), new LoopHeader(), new RecordRows(), new HashSums(), new LoopNumbers());
            case "r3" -> new Reader(new ReusingFields(), new LoopHeader(), new ClassRows(), new OrderedSums(), new LoopNumbers());
            case "r4" -> new Reader(new ReusingFields(), new LoopHeader(), new ClassRows(), new HashSums(), new JdkNumbers());
            default -> throw new IllegalArgumentException(version);
        };
    }

    private static String file(Random random) {
        StringBuilder file = new StringBuilder("id, customer ,region,amount,comment\n");
        for (int row = 0; row < ROWS; row++) {
            file.append(row).append(",customer ").append(random.nextInt(500));
            file.append(",region-").append(random.nextInt(24));
            file.append(',').append(random.nextInt(100_000)).append(',');
            if (row % 3 == 0) {
                file.append("\"said \"\"thanks\"\", and paid\"");
            } else {
                file.append("paid in time");
            }
            file.append('\n');
        }
        return file.toString();
    }
}

final class Reader {
    private final Fields fields;
    private final Header header;
    private final Rows rows;
    private final Sums sums;
    private final Numbers numbers;

    Reader(Fields fields, Header header, Rows rows, Sums sums, Numbers numbers) {
        this.fields = fields;
        this.header = header;
        this.rows = rows;
        this.sums = sums;
        this.numbers = numbers;
    }

    Report read(String file) {
        int start = file.indexOf('\n') + 1;
        List<String> names = header.names(file.substring(0, start - 1));
        int region = names.indexOf("region");
        int amount = names.indexOf("amount");
        int comment = names.indexOf("comment");
        Report report = new Report(sums.create());
        List<String> values = new ArrayList<>();
        while (start < file.length()) {
            values.clear();
            start = fields.read(file, start, values);
            report.add(rows.row(values.get(region), numbers.parse(values.get(amount)), values.get(comment)));
        }
        return report;
    }
}

interface Row {
    String region();

    long amount();

    String comment();
}

interface Rows {
    Row row(String region, long amount, String comment);
}

final class ClassRow implements Row {
    private final String region;
    private final long amount;
    private final String comment;

    ClassRow(String region, long amount, String comment) {
        this.region = region;
        this.amount = amount;
        this.comment = comment;
    }

    @Override
    public String region() {
        return region;
    }

    @Override
    public long amount() {
        return amount;
    }

    @Override
    public String comment() {
        return comment;
    }
}

final class ClassRows implements Rows {
    @Override
    public Row row(String region, long amount, String comment) {
        return new ClassRow(region, amount, comment);
    }
}

record RecordRow(String region, long amount, String comment) implements Row {}

final class RecordRows implements Rows {
    @Override
    public Row row(String region, long amount, String comment) {
        return new RecordRow(region, amount, comment);
    }
}

final class Report {
    private final Map<String, long[]> sums;
    private long comments;

    Report(Map<String, long[]> sums) {
        this.sums = sums;
    }

    void add(Row row) {
        long[] sum = sums.get(row.region());
        if (sum == null) {
            sum = new long[1];
            sums.put(row.region(), sum);
        }
        sum[0] += row.amount();
        comments += row.comment().length();
    }

    long total() {
        long total = comments;
        for (long[] sum : sums.values()) {
            total += sum[0];
        }
        return total;
    }

    String best(int count) {
        List<Map.Entry<String, long[]>> entries = new ArrayList<>(sums.entrySet());
        entries.sort(Comparator.comparingLong(entry -> -entry.getValue()[0]));
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, long[]> entry : entries.subList(0, count)) {
            text.append(entry.getKey()).append('=').append(entry.getValue()[0]).append(' ');
        }
        return text.toString().trim();
    }
}

interface Sums {
    Map<String, long[]> create();
}

final class HashSums implements Sums {
    @Override
    public Map<String, long[]> create() {
        return new HashMap<>();
    }
}

final class OrderedSums implements Sums {
    @Override
    public Map<String, long[]> create() {
        return new LinkedHashMap<>();
    }
}

interface Fields {
    /** Add the values of the line at a place, and return where the next begins. */
    int read(String file, int start, List<String> values);
}

/** Reading one field. */
final class Quoted {
    private Quoted() {}

    static int read(String file, int start, StringBuilder value) {
        int place = start + 1;
        while (true) {
            char one = file.charAt(place++);
            if (one != '"') {
                value.append(one);
            } else if (file.charAt(place) == '"') {
                value.append('"');
                place++;
            } else {
                return place;
            }
        }
    }

    static int plainEnd(String file, int start) {
        int place = start;
        while (file.charAt(place) != ',' && file.charAt(place) != '\n') {
            place++;
        }
        return place;
    }
}

/** One builder for all quoted values. */
final class ReusingFields implements Fields {
    private final StringBuilder value = new StringBuilder();

    @Override
    public int read(String file, int start, List<String> values) {
        int place = start;
        while (true) {
            if (file.charAt(place) == '"') {
                value.setLength(0);
                place = Quoted.read(file, place, value);
                values.add(value.toString());
            } else {
                int end = Quoted.plainEnd(file, place);
                values.add(file.substring(place, end));
                place = end;
            }
            if (file.charAt(place++) == '\n') {
                return place;
            }
        }
    }
}

/** A builder for each quoted value. */
final class CopyingFields implements Fields {
    @Override
    public int read(String file, int start, List<String> values) {
        int place = start;
        while (true) {
            if (file.charAt(place) == '"') {
                StringBuilder value = new StringBuilder();
                place = Quoted.read(file, place, value);
                values.add(value.toString());
            } else {
                int end = Quoted.plainEnd(file, place);
                values.add(file.substring(place, end));
                place = end;
            }
            if (file.charAt(place++) == '\n') {
                return place;
            }
        }
    }
}

/** A builder and a copy for every value. */
final class JoiningFields implements Fields {
    @Override
    public int read(String file, int start, List<String> values) {
        int place = start;
        while (true) {
            StringBuilder value = new StringBuilder();
            if (file.charAt(place) == '"') {
                place = Quoted.read(file, place, value);
            } else {
                int end = Quoted.plainEnd(file, place);
                value.append(file, place, end);
                place = end;
            }
            values.add(new String(value.toString().toCharArray()));
            if (file.charAt(place++) == '\n') {
                return place;
            }
        }
    }
}

interface Header {
    List<String> names(String line);
}

final class LoopHeader implements Header {
    @Override
    public List<String> names(String line) {
        List<String> names = new ArrayList<>();
        int start = 0;
        for (int place = 0; place <= line.length(); place++) {
            if (place == line.length() || line.charAt(place) == ',') {
                names.add(line.substring(start, place).trim());
                start = place + 1;
            }
        }
        return names;
    }
}

final class RegexHeader implements Header {
    private static final Pattern COMMA = Pattern.compile("\\s*,\\s*");

    @Override
    public List<String> names(String line) {
        return List.of(COMMA.split(line.trim()));
    }
}

interface Numbers {
    long parse(String text);
}

final class LoopNumbers implements Numbers {
    @Override
    public long parse(String text) {
        long number = 0;
        for (int place = 0; place < text.length(); place++) {
            int digit = text.charAt(place) - '0';
            if (digit < 0 || digit > 9) {
                throw new NumberFormatException(text);
            }
            number = number * 10 + digit;
        }
        return number;
    }
}

final class JdkNumbers implements Numbers {
    @Override
    public long parse(String text) {
        return Long.parseLong(text);
    }
}
