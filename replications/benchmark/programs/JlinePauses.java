import java.io.ByteArrayOutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jline.terminal.impl.ExternalTerminal;

/** Opens terminals of remote users, who say nothing, and closes them. */
final class JlinePauses {
    private static final int TERMINALS = 60;

    public static void main(String[] args) throws Exception {
        List<Object> users = new ArrayList<>();
        for (int i = 0; i < TERMINALS; i++) {
            PipedInputStream input = new PipedInputStream();
            users.add(new PipedOutputStream(input));
            ExternalTerminal terminal =
                    new ExternalTerminal(
                            "user" + i, "dumb", input, new ByteArrayOutputStream(), StandardCharsets.UTF_8);
            terminal.close();
        }
        // Threads that were interrupted need a moment to end.
        Thread.sleep(300);
        Use.print(users);
    }
}
