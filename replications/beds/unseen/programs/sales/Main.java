package sales;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Reports of a shop's sales: sums by region and month, percentiles by product, the best customers. */
public final class Main {
    private static final int SALES = 24_000;
    private static final int REPORTS = 80;

    public static void main(String[] args) {
        Parts parts = parts(args[0]);
        List<Sale> sales = new ArrayList<>(SALES);
        Random random = new Random(13);
        for (int number = 0; number < SALES; number++) {
            sales.add(parts.sales.of(
                    "product-" + random.nextInt(120),
                    "region-" + random.nextInt(8),
                    random.nextInt(2000),
                    19_000 + random.nextInt(365),
                    100 + random.nextInt(90_000)));
        }
        long sum = 0;
        for (int report = 0; report < REPORTS; report++) {
            int from = report * 90;
            List<Sale> some = sales.subList(from, SALES - 8000 + from);
            Map<String, Map<Integer, Long>> regions = some.stream().collect(Collectors.groupingBy(
                    Sale::region,
                    TreeMap::new,
                    Collectors.groupingBy(sale -> parts.months.of(sale.day()), Collectors.summingLong(Sale::cents))));
            for (Map<Integer, Long> months : regions.values()) {
                sum += months.get(3) % 1000;
            }
            sum += parts.percentiles.sum(some);
            sum += parts.best.customers(some, 10).hashCode() & 0xffff;
            sum += parts.totals.of(some);
        }
        System.out.println("sales " + sum);
    }

    private record Parts(Sales sales, Percentiles percentiles, Best best, Months months, Totals totals) {}

    private static Parts parts(String version) {
        return switch (version) {
            case "base" -> new Parts(new ClassSales(), new SortedPercentiles(), new LoopBest(), new TableMonths(), new LoopTotals());
            case "small" -> new Parts(new ClassSales(), new EachPercentiles(), new LoopBest(), new TableMonths(), new LoopTotals());
            case "large" -> new Parts(new ClassSales(), new ScanningPercentiles(), new LoopBest(), new TableMonths(), new LoopTotals());
            case "r1" -> new Parts(new ClassSales(), new SortedPercentiles(), new StreamBest(), new TableMonths(), new LoopTotals());
            case "r2" -> new Parts(new RecordSales(), new SortedPercentiles(), new LoopBest(), new TableMonths(), new LoopTotals());
            case "r3" -> new Parts(new ClassSales(), new SortedPercentiles(), new LoopBest(), new TimeMonths(), new LoopTotals());
            case "r4" -> new Parts(new ClassSales(), new SortedPercentiles(), new LoopBest(), new TableMonths(), new StatisticsTotals());
            default -> throw new IllegalArgumentException(version);
        };
    }
}

interface Sale {
    String product();

    String region();

    int customer();

    int day();

    long cents();
}

interface Sales {
    Sale of(String product, String region, int customer, int day, long cents);
}

final class ClassSale implements Sale {
    private final String product;
    private final String region;
    private final int customer;
    private final int day;
    private final long cents;

    ClassSale(String product, String region, int customer, int day, long cents) {
        this.product = product;
        this.region = region;
        this.customer = customer;
        this.day = day;
        this.cents = cents;
    }

    @Override
    public String product() {
        return product;
    }

    @Override
    public String region() {
        return region;
    }

    @Override
    public int customer() {
        return customer;
    }

    @Override
    public int day() {
        return day;
    }

    @Override
    public long cents() {
        return cents;
    }
}

final class ClassSales implements Sales {
    @Override
    public Sale of(String product, String region, int customer, int day, long cents) {
        return new ClassSale(product, region, customer, day, cents);
    }
}

record RecordSale(String product, String region, int customer, int day, long cents) implements Sale {}

final class RecordSales implements Sales {
    @Override
    public Sale of(String product, String region, int customer, int day, long cents) {
        return new RecordSale(product, region, customer, day, cents);
    }
}

/** Sums of percentiles of each product's sales. */
interface Percentiles {
    long sum(List<Sale> sales);
}

final class Groups {
    static final int[] PERCENTS = {25, 50, 90, 99};

    private Groups() {}

    static Map<String, List<Long>> byProduct(List<Sale> sales) {
        return sales.stream().collect(Collectors.groupingBy(
                Sale::product, HashMap::new, Collectors.mapping(Sale::cents, Collectors.toList())));
    }
}

final class SortedPercentiles implements Percentiles {
    @Override
    public long sum(List<Sale> sales) {
        long sum = 0;
        for (List<Long> cents : Groups.byProduct(sales).values()) {
            Collections.sort(cents);
            for (int percent : Groups.PERCENTS) {
                sum += cents.get(cents.size() * percent / 100);
            }
        }
        return sum;
    }
}

/** Sorts a copy for each percentile. */
final class EachPercentiles implements Percentiles {
    @Override
    public long sum(List<Sale> sales) {
        long sum = 0;
        for (List<Long> cents : Groups.byProduct(sales).values()) {
            for (int percent : Groups.PERCENTS) {
                List<Long> sorted = new ArrayList<>(cents);
                Collections.sort(sorted);
                sum += sorted.get(sorted.size() * percent / 100);
            }
        }
        return sum;
    }
}

/** Goes through all sales for each product. */
final class ScanningPercentiles implements Percentiles {
    @Override
    public long sum(List<Sale> sales) {
        long sum = 0;
        List<String> products = sales.stream().map(Sale::product).distinct().toList();
        for (String product : products) {
            List<Long> cents = sales.stream()
                    .filter(sale -> sale.product().equals(product))
                    .map(Sale::cents)
                    .sorted()
                    .toList();
            for (int percent : Groups.PERCENTS) {
                sum += cents.get(cents.size() * percent / 100);
            }
        }
        return sum;
    }
}

interface Best {
    List<Integer> customers(List<Sale> sales, int count);
}

final class LoopBest implements Best {
    @Override
    public List<Integer> customers(List<Sale> sales, int count) {
        Map<Integer, Long> sums = new HashMap<>();
        for (Sale sale : sales) {
            sums.merge(sale.customer(), sale.cents(), Long::sum);
        }
        List<Map.Entry<Integer, Long>> entries = new ArrayList<>(sums.entrySet());
        entries.sort(Map.Entry.<Integer, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()));
        List<Integer> best = new ArrayList<>();
        for (int place = 0; place < count; place++) {
            best.add(entries.get(place).getKey());
        }
        return best;
    }
}

final class StreamBest implements Best {
    @Override
    public List<Integer> customers(List<Sale> sales, int count) {
        Map<Integer, Long> sums =
                sales.stream().collect(Collectors.toMap(Sale::customer, Sale::cents, Long::sum));
        return sums.entrySet().stream()
                .sorted(Map.Entry.<Integer, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()))
                .limit(count)
                .map(Map.Entry::getKey)
                .toList();
    }
}

interface Months {
    /** Return the month of a day since 1970, from 1 to 12. */
    int of(int day);
}

/** Months by a table, for years without a 29th of February. */
final class TableMonths implements Months {
    private static final int FIRST = 18_993;
    private static final int[] ENDS = {31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};

    @Override
    public int of(int day) {
        int inYear = (day - FIRST) % 365;
        int month = 0;
        while (inYear >= ENDS[month]) {
            month++;
        }
        return month + 1;
    }
}

final class TimeMonths implements Months {
    @Override
    public int of(int day) {
        return LocalDate.ofEpochDay(day).getMonthValue();
    }
}

interface Totals {
    long of(List<Sale> sales);
}

final class LoopTotals implements Totals {
    @Override
    public long of(List<Sale> sales) {
        long sum = 0;
        long most = Long.MIN_VALUE;
        long least = Long.MAX_VALUE;
        for (Sale sale : sales) {
            sum += sale.cents();
            most = Math.max(most, sale.cents());
            least = Math.min(least, sale.cents());
        }
        return sum + most - least;
    }
}

final class StatisticsTotals implements Totals {
    @Override
    public long of(List<Sale> sales) {
        LongSummaryStatistics all = sales.stream().mapToLong(Sale::cents).summaryStatistics();
        return all.getSum() + all.getMax() - all.getMin();
    }
}
