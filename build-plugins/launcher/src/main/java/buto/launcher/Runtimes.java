package buto.launcher;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The runtimes of one user: directories, each with buto and a Python of its own, unpacked once from an archive.
 *
 * <p>A runtime exists wholly or not at all: it is unpacked beside its place, under a lock, and then renamed. What a
 * build leaves that is killed meanwhile, the next one removes.
 */
public final class Runtimes {
    private static final String CACHE = "XDG_CACHE_HOME";
    private static final String HOME = "HOME";
    private static final String PART = ".part";
    private static final int TRAILER_BYTES = 8;
    private static final long LOCK_TIMEOUT_S = 300;
    private static final long LOCK_LOOK_MS = 50;

    private final Path place;
    private final Consumer<String> progress;

    /** @param progress receives a line before an archive is unpacked */
    public Runtimes(Consumer<String> progress) {
        this(below(System.getenv(CACHE), System.getenv(HOME)), progress);
    }

    Runtimes(Path place, Consumer<String> progress) {
        this.place = place;
        this.progress = progress;
    }

    /** A shell's ~ is the variable HOME, which may be another directory than Java's user.home. */
    private static Path below(String cache, String home) {
        Path user = Paths.get(isAbsolute(home) ? home : System.getProperty("user.home"));
        Path caches = isAbsolute(cache) ? Paths.get(cache) : user.resolve(".cache");
        return caches.resolve("buto").resolve("runtime");
    }

    private static boolean isAbsolute(String directory) {
        return directory != null && Paths.get(directory).isAbsolute();
    }

    /**
     * Returns the command {@code buto} of an archive's runtime, which is unpacked unless it was before.
     *
     * @throws ButoException if the archive is damaged, or the user's cache cannot be written
     */
    public File command(File archive) throws ButoException {
        try {
            Path runtime = place.resolve(Release.version() + "-" + digest(archive));
            if (!Files.isDirectory(runtime)) {
                Files.createDirectories(place);
                unpackAlone(archive, runtime);
            }
            return runtime.resolve("bin").resolve("buto").toFile();
        } catch (IOException failure) {
            throw new ButoException(
                    "the runtime " + archive + " cannot be unpacked into " + place + ": " + failure,
                    "let " + CACHE + " name a directory with room for it, from which programs may be started;"
                            + " if the archive is damaged, delete it and build again");
        }
    }

    /** Returns the check sum and the length of what is packed, with which each file of gzip ends. */
    private static String digest(File archive) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(archive, "r")) {
            file.seek(Math.max(0, file.length() - TRAILER_BYTES));
            return String.format("%016x", file.readLong());
        }
    }

    private void unpackAlone(File archive, Path runtime) throws IOException, ButoException {
        Path lock = place.resolve(runtime.getFileName() + ".lock");
        try (FileChannel channel =
                        FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock held = locked(channel, lock)) {
            removeParts(runtime);
            // Another build may have unpacked it while this one waited.
            if (held.isValid() && !Files.isDirectory(runtime)) {
                progress.accept("buto: unpacks its runtime into " + runtime + ", once");
                unpack(archive, runtime);
            }
        }
    }

    private void unpack(File archive, Path runtime) throws IOException {
        Path part = Files.createTempDirectory(place, runtime.getFileName() + PART);
        try {
            TarArchive.unpack(archive, part);
            Files.move(part, runtime, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failure) {
            remove(part);
            throw failure;
        }
    }

    /** Threads of one build cannot wait for each other at a file, so that all look again and again. */
    private static FileLock locked(FileChannel channel, Path lock) throws IOException, ButoException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LOCK_TIMEOUT_S);
        while (System.nanoTime() < end) {
            try {
                FileLock held = channel.tryLock();
                if (held != null) {
                    return held;
                }
            } catch (OverlappingFileLockException ours) {
                // Another thread of this process unpacks.
            }
            try {
                Thread.sleep(LOCK_LOOK_MS);
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                throw new ButoException("the build was stopped while buto was unpacked", "run the build again");
            }
        }
        throw new ButoException(
                "another build has held " + lock + " for " + LOCK_TIMEOUT_S + " s", "see what it does, or end it");
    }

    /** Whoever holds the lock is the only one who unpacks: what is there in part was left by a build that was killed. */
    private void removeParts(Path runtime) throws IOException {
        try (DirectoryStream<Path> parts = Files.newDirectoryStream(place, runtime.getFileName() + PART + "*")) {
            for (Path part : parts) {
                remove(part);
            }
        }
    }

    private static void remove(Path directory) throws IOException {
        Files.walkFileTree(directory, new SimpleFileVisitor<Path>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, IOException failure) throws IOException {
                Files.delete(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
