package archive;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** An archive of compressed documents with an index and a journal, written to files and verified. */
public final class Main {
    private static final int DOCUMENTS = 2_000;

    public static void main(String[] args) throws IOException {
        Parts parts = parts(args[0]);
        Path directory = Files.createTempDirectory("archive");
        Archive archive = new Archive(directory, parts.flushing, parts.streams, parts.entries);
        Random random = new Random(23);
        byte[] document = new byte[12_000];
        for (int number = 0; number < DOCUMENTS; number++) {
            fill(document, random, number);
            archive.add("document-" + number, document);
        }
        parts.closing.close(archive);
        long sum = parts.verifying.verify(archive);
        archive.delete();
        System.out.println("archive " + archive.entries.size() + " " + sum);
    }

    private record Parts(Flushing flushing, Streams streams, Entries entries, Closing closing, Verifying verifying) {}

    private static Parts parts(String version) {
        return switch (version) {
            case "base" -> new Parts(new BufferedIndex(), new FileStreams(), new ClassEntries(), new FinallyClosing(), new LoopVerifying());
            case "small" -> new Parts(new FlushedIndex(), new FileStreams(), new ClassEntries(), new FinallyClosing(), new LoopVerifying());
            case "large" -> new Parts(new PlainIndex(), new FileStreams(), new ClassEntries(), new FinallyClosing(), new LoopVerifying());
            case "r1" -> new Parts(new BufferedIndex(), new FileStreams(), new ClassEntries(), new ResourceClosing(), new LoopVerifying());
            case "r2" -> new Parts(new BufferedIndex(), new NewerStreams(), new ClassEntries(), new FinallyClosing(), new LoopVerifying());
            case "r3" -> new Parts(new BufferedIndex(), new FileStreams(), new RecordEntries(), new FinallyClosing(), new LoopVerifying());
            case "r4" -> new Parts(new BufferedIndex(), new FileStreams(), new ClassEntries(), new FinallyClosing(), new StreamVerifying());
            default -> throw new IllegalArgumentException(version);
        };
    }

    private static void fill(byte[] document, Random random, int number) {
        int place = 0;
        while (place < document.length) {
            byte[] word = ("word" + random.nextInt(400) + " of " + number + ", ").getBytes(StandardCharsets.US_ASCII);
            int length = Math.min(word.length, document.length - place);
            System.arraycopy(word, 0, document, place, length);
            place += length;
        }
    }
}

interface Entry {
    String name();

    int size();

    long sum();
}

interface Entries {
    Entry of(String name, int size, long sum);
}

final class ClassEntry implements Entry {
    private final String name;
    private final int size;
    private final long sum;

    ClassEntry(String name, int size, long sum) {
        this.name = name;
        this.size = size;
        this.sum = sum;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public long sum() {
        return sum;
    }
}

final class ClassEntries implements Entries {
    @Override
    public Entry of(String name, int size, long sum) {
        return new ClassEntry(name, size, sum);
    }
}

record RecordEntry(String name, int size, long sum) implements Entry {}

final class RecordEntries implements Entries {
    @Override
    public Entry of(String name, int size, long sum) {
        return new RecordEntry(name, size, sum);
    }
}

final class Archive {
    final List<Entry> entries = new ArrayList<>();
    final Path data;
    final Path index;
    final Path journal;
    final Streams streams;
    private final Path directory;
    private final Flushing flushing;
    private final Entries made;
    private final OutputStream dataOut;
    private final DataOutputStream indexOut;
    private final OutputStream journalOut;

    Archive(Path directory, Flushing flushing, Streams streams, Entries made) throws IOException {
        this.directory = directory;
        this.flushing = flushing;
        this.streams = streams;
        this.made = made;
        data = directory.resolve("data");
        index = directory.resolve("index");
        journal = directory.resolve("journal");
        dataOut = new GZIPOutputStream(new BufferedOutputStream(streams.write(data), 16 * 1024));
        indexOut = flushing.open(streams.write(index));
        journalOut = streams.write(journal);
    }

    void add(String name, byte[] document) throws IOException {
        CRC32 sum = new CRC32();
        sum.update(document);
        dataOut.write(document);
        Entry entry = made.of(name, document.length, sum.getValue());
        entries.add(entry);
        indexOut.writeUTF(entry.name());
        indexOut.writeInt(entry.size());
        indexOut.writeLong(entry.sum());
        flushing.added(indexOut, entries.size());
        journalOut.write(("added " + name + "\n").getBytes(StandardCharsets.US_ASCII));
    }

    List<OutputStream> outputs() {
        return List.of(dataOut, indexOut, journalOut);
    }

    void delete() throws IOException {
        for (Path file : List.of(data, index, journal, directory)) {
            Files.delete(file);
        }
    }
}

/** When the index is written to its file. */
interface Flushing {
    DataOutputStream open(OutputStream out);

    void added(DataOutputStream out, int number) throws IOException;
}

final class BufferedIndex implements Flushing {
    @Override
    public DataOutputStream open(OutputStream out) {
        return new DataOutputStream(new BufferedOutputStream(out));
    }

    @Override
    public void added(DataOutputStream out, int number) {}
}

/** Written after every tenth document. */
final class FlushedIndex implements Flushing {
    @Override
    public DataOutputStream open(OutputStream out) {
        return new DataOutputStream(new BufferedOutputStream(out));
    }

    @Override
    public void added(DataOutputStream out, int number) throws IOException {
        if (number % 10 == 0) {
            out.flush();
        }
    }
}

final class PlainIndex implements Flushing {
    @Override
    public DataOutputStream open(OutputStream out) {
        return new DataOutputStream(out);
    }

    @Override
    public void added(DataOutputStream out, int number) {}
}

interface Streams {
    OutputStream write(Path file) throws IOException;

    InputStream read(Path file) throws IOException;
}

final class FileStreams implements Streams {
    @Override
    public OutputStream write(Path file) throws IOException {
        return new FileOutputStream(file.toFile());
    }

    @Override
    public InputStream read(Path file) throws IOException {
        return new FileInputStream(file.toFile());
    }
}

final class NewerStreams implements Streams {
    @Override
    public OutputStream write(Path file) throws IOException {
        return Files.newOutputStream(file);
    }

    @Override
    public InputStream read(Path file) throws IOException {
        return Files.newInputStream(file);
    }
}

interface Closing {
    void close(Archive archive) throws IOException;
}

final class FinallyClosing implements Closing {
    @Override
    public void close(Archive archive) throws IOException {
        List<OutputStream> outputs = archive.outputs();
        try {
            outputs.get(0).close();
        } finally {
            try {
                outputs.get(1).close();
            } finally {
                outputs.get(2).close();
            }
        }
    }
}

final class ResourceClosing implements Closing {
    @Override
    @SuppressWarnings("try")
    public void close(Archive archive) throws IOException {
        List<OutputStream> outputs = archive.outputs();
        try (OutputStream journal = outputs.get(2);
                OutputStream index = outputs.get(1);
                OutputStream data = outputs.get(0)) {
            data.flush();
        }
    }
}

interface Verifying {
    long verify(Archive archive) throws IOException;
}

final class LoopVerifying implements Verifying {
    @Override
    public long verify(Archive archive) throws IOException {
        long sum = 0;
        try (InputStream in = new GZIPInputStream(archive.streams.read(archive.data), 16 * 1024)) {
            for (Entry entry : archive.entries) {
                sum += Check.document(in, entry);
            }
        }
        return sum;
    }
}

final class StreamVerifying implements Verifying {
    @Override
    public long verify(Archive archive) throws IOException {
        try (InputStream in = new GZIPInputStream(archive.streams.read(archive.data), 16 * 1024)) {
            return archive.entries.stream().mapToLong(entry -> checked(in, entry)).sum();
        }
    }

    private static long checked(InputStream in, Entry entry) {
        try {
            return Check.document(in, entry);
        } catch (IOException error) {
            throw new java.io.UncheckedIOException(error);
        }
    }
}

final class Check {
    private Check() {}

    static long document(InputStream in, Entry entry) throws IOException {
        CRC32 sum = new CRC32();
        sum.update(in.readNBytes(entry.size()));
        if (sum.getValue() != entry.sum()) {
            throw new IOException(entry.name() + " is damaged");
        }
        return sum.getValue() & 0xffff;
    }
}
