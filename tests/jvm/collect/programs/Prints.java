import java.io.PrintStream;

/** Prints so many MiB of numbered lines. */
public class Prints {
    public static void main(String[] arguments) {
        byte[] line = new byte[1 << 16];
        java.util.Arrays.fill(line, (byte) 'x');
        line[line.length - 1] = '\n';
        PrintStream out = System.out;
        out.println("first");
        for (int i = 0; i < Integer.parseInt(arguments[0]) * 16; i++) {
            out.write(line, 0, line.length);
        }
        out.println("last");
        System.err.println("a complaint");
    }
}
