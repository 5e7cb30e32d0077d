import ch.qos.logback.core.net.SyslogOutputStream;
import java.nio.charset.StandardCharsets;

/** Sends messages to a logging server, with a connection for each, which is closed. */
final class LogbackSyslog {
    private static final int MESSAGES = 200;

    public static void main(String[] args) throws Exception {
        byte[] message = "<14>one message".getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < MESSAGES; i++) {
            SyslogOutputStream out = new SyslogOutputStream("127.0.0.1", 9);
            out.write(message, 0, message.length);
            out.close();
        }
        Use.print();
    }
}
