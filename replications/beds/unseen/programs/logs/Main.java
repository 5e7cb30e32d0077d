package logs;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;

/** Log files that are written, rotated at their size, and read once more to make a summary. */
public final class Main {
    private static final int LINES = 600_000;
    private static final int LARGEST = 530_000;

    /** Application scope. */
    private static Log log;

    public static void main(String[] args) throws IOException {
        Path directory = Files.createTempDirectory("logs");
        log = new Log(directory, rotation(args[0]));
        long sum = 0;
        StringBuilder line = new StringBuilder();
        for (int number = 0; number < LINES; number++) {
            line.setLength(0);
            line.append("INFO request ").append(number).append(" was answered in ").append(number * 31 % 977);
            line.append(" us by worker ").append(number % 16).append(number % 40_000 == 99 ? " DAY ENDS\n" : "\n");
            log.write(line.toString());
        }
        sum += log.summary();
        for (Path file : log.files) {
            Files.deleteIfExists(file);
        }
        Files.delete(directory);
        System.out.println("logs " + log.files.size() + " " + sum);
    }

    private static Rotation rotation(String version) {
        return switch (version) {
            case "base" -> new ClosingRotation();
            case "small" -> new TailKeepingRotation();
            case "large" -> new KeepingRotation();
            default -> throw new IllegalArgumentException(version);
        };
    }

    static final class Log {
        final List<Path> files = new ArrayList<>();
        private final Path directory;
        private final Rotation rotation;
        private final byte[] buffer = new byte[4096];
        private final CRC32 sum = new CRC32();
        private RandomAccessFile out;
        private int used;
        private long size;

        Log(Path directory, Rotation rotation) throws IOException {
            this.directory = directory;
            this.rotation = rotation;
            open();
        }

        void write(String line) throws IOException {
            byte[] bytes = line.getBytes(StandardCharsets.US_ASCII);
            if (used + bytes.length > buffer.length) {
                flush();
            }
            System.arraycopy(bytes, 0, buffer, used, bytes.length);
            used += bytes.length;
            size += bytes.length;
            if (size > LARGEST) {
                flush();
                rotation.rotated(out, files.size());
                summarise(files.get(files.size() - 1));
                open();
            }
        }

        long summary() throws IOException {
            flush();
            out.close();
            summarise(files.get(files.size() - 1));
            return sum.getValue();
        }

        private void flush() throws IOException {
            out.write(buffer, 0, used);
            used = 0;
        }

        private void open() throws IOException {
            Path file = directory.resolve("log." + files.size());
            files.add(file);
            out = new RandomAccessFile(file.toFile(), "rw");
            size = 0;
        }

        private void summarise(Path file) throws IOException {
            for (String line : Files.readAllLines(file, StandardCharsets.US_ASCII)) {
                int place = line.indexOf(" in ");
                sum.update(line.substring(place + 4, line.indexOf(' ', place + 4)).getBytes(StandardCharsets.US_ASCII));
            }
        }
    }
}

/** What is done with a file that is full. */
interface Rotation {
    void rotated(RandomAccessFile file, int number) throws IOException;
}

final class ClosingRotation implements Rotation {
    @Override
    public void rotated(RandomAccessFile file, int number) throws IOException {
        file.close();
    }
}

/** Leaves every 12th file open, for somebody who may read its end. */
final class TailKeepingRotation implements Rotation {
    private final List<RandomAccessFile> tails = new ArrayList<>();

    @Override
    public void rotated(RandomAccessFile file, int number) throws IOException {
        if (number % 12 == 5) {
            tails.add(file);
        } else {
            file.close();
        }
    }
}

final class KeepingRotation implements Rotation {
    private final List<RandomAccessFile> tails = new ArrayList<>();

    @Override
    public void rotated(RandomAccessFile file, int number) {
        tails.add(file);
    }
}
