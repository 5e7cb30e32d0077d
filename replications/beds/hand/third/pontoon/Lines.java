import java.io.BufferedReader;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Opens a text for reading in small blocks. */
final class Lines {
    private static final int BLOCK = 1_024;

    private Lines() { }

    static BufferedReader open(Path file) throws IOException {
        return new BufferedReader(Channels.newReader(FileChannel.open(file, StandardOpenOption.READ), StandardCharsets.UTF_8.newDecoder(), BLOCK), BLOCK);
    }
}
