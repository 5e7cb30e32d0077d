import java.io.IOException;
import java.util.List;

/** The analyzers of the laboratory of a surgery, each asked over a link. */
interface Analyzers {
    void open(int port) throws IOException;

    /** A new round of orders begins. */
    void round(int number) throws IOException;

    String ask(int analyzer, String sample) throws IOException;

    List<String> summary();
}
