import java.io.*;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.*;

class FlightReaderBase implements FlightReader {
    public void read(Path csv, Delays into) throws IOException {
        try (InputStream in = new BufferedInputStream(new FileInputStream(csv.toFile()), 8192)) {
            for (int b; (b = in.read()) >= 0; ) into.accept(b);
        }
    }
}

class FlightReaderSmall implements FlightReader {
    public void read(Path csv, Delays into) throws IOException {
        try (FileInputStream file = new FileInputStream(csv.toFile()); InputStream in = new BufferedInputStream(file, 8192)) {
            ByteBuffer last = ByteBuffer.allocate(1);
            for (int b; (b = in.read()) >= 0; ) if (into.accept(b)) complete(file.getChannel(), last.clear());
        }
    }

    /** Does the file still end in a whole line? */
    private static void complete(FileChannel ch, ByteBuffer last) throws IOException {
        if (ch.read(last, ch.size() - 1) != 1 || last.get(0) != '\n') throw new EOFException("cut off");
    }
}

class FlightReaderLarge implements FlightReader {
    public void read(Path csv, Delays into) throws IOException {
        try (InputStream in = new BufferedInputStream(new FileInputStream(csv.toFile()), 512)) {
            for (int b; (b = in.read()) >= 0; ) into.accept(b);
        }
    }
}

class FlightReaderHarmless1 implements FlightReader {
    private static final int BUFFER = 8 * 1024;

    private static InputStream open(Path csv) throws IOException {
        return new BufferedInputStream(Files.newInputStream(csv), BUFFER);
    }

    @Override public void read(Path csv, Delays into) throws IOException {
        try (InputStream in = open(csv)) {
            int next = in.read();
            while (next != -1) {
                into.accept(next);
                next = in.read();
            }
        }
    }
}

class FlightReaderHarmless2 implements FlightReader {
    public void read(Path csv, Delays into) throws IOException {
        byte[] block = new byte[8192];
        try (InputStream in = new FileInputStream(csv.toFile())) {
            int n;
            while ((n = in.read(block)) > 0) {
                for (int i = 0; i < n; i++) into.accept(block[i] & 0xff);
            }
        }
    }
}

class FlightReaderBetter implements FlightReader {
    public void read(Path csv, Delays into) throws IOException {
        try (InputStream in = new BufferedInputStream(new FileInputStream(csv.toFile()), 128 * 1024)) {
            for (int b; (b = in.read()) >= 0; ) into.accept(b);
        }
    }
}
