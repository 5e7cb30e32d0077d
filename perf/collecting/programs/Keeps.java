import java.util.ArrayList;
import java.util.List;

/** Keeps as many MiB as its argument says, in objects of 128 bytes, and tells when it was done. */
public final class Keeps {
    private static final int PIECE = 128;
    private static final List<Object> KEPT = new ArrayList<Object>();

    private Keeps() {
    }

    public static void main(String[] arguments) {
        long pieces = Long.parseLong(arguments[0]) * 1024 * 1024 / PIECE;
        for (long piece = 0; piece < pieces; piece++) {
            KEPT.add(new byte[PIECE - 16]);
        }
        System.out.print("end ");
        System.out.println(System.nanoTime());
    }
}
