import java.io.FileOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.jline.utils.NonCloseableOutputStream;

/** Draws a screen of text again and again, each time with one write. */
final class JlineBytes {
    private static final int SCREENS = 100;

    public static void main(String[] args) throws Exception {
        byte[] screen = "some text on a line of the screen\n".repeat(40).getBytes(StandardCharsets.UTF_8);
        try (OutputStream out = new NonCloseableOutputStream(new FileOutputStream("/dev/null"))) {
            for (int i = 0; i < SCREENS; i++) {
                out.write(screen);
            }
        }
        Use.print(screen);
    }
}
