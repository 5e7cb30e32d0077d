import java.nio.file.Files;
import java.nio.file.Path;

/** Rates the kinship of all couples of a marriage register. */
public class Main {
    static final int PEOPLE = 2_500;
    static final int COUPLES = 54_000;
    static Tree tree;
    static int[][] couples;
    static Kinship kinship;

    public static void main(String[] args) throws Exception {
        Path file = Files.createTempFile("kinship", ".txt");
        try {
            tree = new Tree(12, PEOPLE);
            Register.write(file, tree, COUPLES, PEOPLE);
            couples = Register.read(file, COUPLES);
            kinship = Versions.of(Kinship.class, "Kinship", args[0]);
            kinship.setTree(tree);
            long sum = 0;
            long closest = 0;
            for (int[] couple : couples) {
                long k = kinship.of(couple[0], couple[1]);
                sum += k;
                closest = Math.max(closest, k);
            }
            System.out.println("couples " + couples.length);
            System.out.println("mean kinship " + sum / couples.length + " greatest " + closest);
            for (String line : kinship.summary()) System.out.println(line);
        } finally {
            Files.deleteIfExists(file);
        }
    }
}
