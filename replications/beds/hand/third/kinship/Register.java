import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/** Couples of a marriage register, each line one: their numbers. */
final class Register {
    private Register() { }

    static void write(Path file, Tree tree, int couples, int people) throws IOException {
        Random random = new Random(5);
        int first = tree.size() - people;
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            int a = 0;
            for (int i = 0; i < couples; i++) {
                if (i % 12 == 0) a = first + random.nextInt(people);
                int b = first + random.nextInt(people);
                out.write(a + " and " + b + " married in the year " + (1_700 + random.nextInt(200)) + ", witnesses " + tree.names[random.nextInt(tree.size())] + " and " + tree.names[random.nextInt(tree.size())] + "\n");
            }
        }
    }

    static int[][] read(Path file, int couples) throws IOException {
        int[][] out = new int[couples][];
        try (BufferedReader in = Lines.open(file)) {
            for (int i = 0; i < couples; i++) {
                String line = in.readLine();
                int space = line.indexOf(' ');
                out[i] = new int[] {Integer.parseInt(line, 0, space, 10), Integer.parseInt(line, space + 5, line.indexOf(' ', space + 5), 10)};
            }
        }
        return out;
    }
}
