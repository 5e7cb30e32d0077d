import java.nio.file.Path;
import org.slf4j.Logger;

/** Where the ovens write to. */
interface OvenLog extends AutoCloseable {
    void open(Path dir);

    Logger oven(int oven);

    Logger shift();

    @Override void close();
}
