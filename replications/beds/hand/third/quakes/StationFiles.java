import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Reads what the stations sent. */
interface StationFiles {
    List<Shock> read(Path file) throws IOException;
}
