import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A seed bank: accessions come in, some are withdrawn, and germination forecasts are asked for. */
public class Main {
    /** The stock is there as long as the service. */
    static Vault vault;

    public static void main(String[] args) throws Exception {
        vault = Choice.of(Vault.class, "Vault", args[0]);
        Random random = new Random(20011);
        List<String> genera = IntStream.range(0, 120).mapToObj(i -> "Genus" + (char) ('a' + i % 26) + i).collect(Collectors.toList());
        int n = 24000;
        for (int i = 0; i < n; i++) {
            String g = genera.get(random.nextInt(genera.size()));
            vault.add(i + ";" + g + ";" + "species-" + random.nextInt(40) + ";" + "country-" + random.nextInt(90) + ";" + (1960 + random.nextInt(60)) + ";" + (400 + random.nextInt(600)));
        }
        for (int i = 0; i < n; i += 4) vault.withdraw(i);
        System.out.println("stock " + vault.size());
        long sum = 0;
        for (int q = 0; q < 60000; q++) {
            int id = (int) Math.min(n - 1, Math.abs(random.nextGaussian()) * n / 4);
            sum += vault.germination(id, 2020 + random.nextInt(4));
        }
        System.out.println("germination " + sum);
        long viability = 0;
        for (String g : genera) for (Accession a : vault.genus(g)) viability += a.viability;
        System.out.println("viability " + viability);
    }
}
