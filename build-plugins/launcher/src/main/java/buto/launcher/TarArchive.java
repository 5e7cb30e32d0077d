package buto.launcher;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.zip.GZIPInputStream;

/** Reads what {@code scripts/build_runtime.py} packs: ustar in gzip, of files and directories below a single one. */
final class TarArchive {
    private static final int BLOCK = 512;
    private static final int BUFFER = 1 << 16;
    private static final int OWNER_EXECUTES = 0100;

    private TarArchive() {}

    /**
     * Unpacks an archive without its topmost directory.
     *
     * @param target an existing directory
     * @throws IOException if the archive is damaged or has other entries, or the target cannot be written
     */
    static void unpack(File archive, Path target) throws IOException {
        byte[] header = new byte[BLOCK];
        byte[] buffer = new byte[BUFFER];
        try (DataInputStream blocks = new DataInputStream(new BufferedInputStream(
                new GZIPInputStream(Files.newInputStream(archive.toPath()), BUFFER), BUFFER))) {
            for (blocks.readFully(header); header[0] != 0; blocks.readFully(header)) {
                Path path = inside(target, text(header, 345, 155), text(header, 0, 100));
                long size = number(header, 124, 12);
                if (header[156] == '5') {
                    Files.createDirectories(path);
                } else if (header[156] == '0') {
                    write(blocks, size, path, buffer);
                    boolean executes = (number(header, 100, 8) & OWNER_EXECUTES) != 0;
                    Files.setPosixFilePermissions(
                            path, PosixFilePermissions.fromString(executes ? "rwxr-xr-x" : "rw-r--r--"));
                    blocks.readFully(buffer, 0, (int) ((BLOCK - size % BLOCK) % BLOCK));
                } else {
                    throw new IOException(path + " is of the unknown type " + (char) header[156]);
                }
            }
            finish(blocks, buffer);
        }
    }

    /** Reads the end, whose check sum only then is compared with what came. */
    private static void finish(InputStream blocks, byte[] buffer) throws IOException {
        int count = blocks.read(buffer);
        while (count >= 0) {
            count = blocks.read(buffer);
        }
    }

    /** Returns where an entry belongs, which never is outside of the target. */
    private static Path inside(Path target, String prefix, String name) throws IOException {
        String whole = prefix.isEmpty() ? name : prefix + "/" + name;
        if (whole.indexOf('/') < 0) {
            return target;
        }
        // The target itself may have links and dots in its name.
        Path relative = Paths.get(whole.substring(whole.indexOf('/') + 1)).normalize();
        if (relative.isAbsolute() || relative.startsWith("..")) {
            throw new IOException(whole + " would be outside of " + target);
        }
        return target.resolve(relative);
    }

    private static void write(InputStream blocks, long size, Path path, byte[] buffer) throws IOException {
        try (OutputStream file = Files.newOutputStream(path)) {
            for (long left = size; left > 0; ) {
                int count = blocks.read(buffer, 0, (int) Math.min(left, buffer.length));
                if (count < 0) {
                    throw new EOFException(path + " ends after " + (size - left) + " of " + size + " bytes");
                }
                file.write(buffer, 0, count);
                left -= count;
            }
        }
    }

    private static String text(byte[] header, int start, int length) {
        int end = start;
        while (end < start + length && header[end] != 0) {
            end++;
        }
        return new String(header, start, end - start, StandardCharsets.UTF_8);
    }

    private static long number(byte[] header, int start, int length) throws IOException {
        String digits = text(header, start, length).trim();
        try {
            return Long.parseLong(digits, 8);
        } catch (NumberFormatException failure) {
            throw new IOException("the archive is damaged: '" + digits + "' is no size", failure);
        }
    }
}
