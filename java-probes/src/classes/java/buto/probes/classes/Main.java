package buto.probes.classes;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/**
 * Reads the files whose paths standard input has, a line each, and prints what their classes say. Jars within jars are
 * read, too, as those of Spring Boot have them. What cannot be read is left out.
 */
public final class Main {
    private static final int DEEPEST = 2;
    private static final int LARGEST = 1 << 26;

    private final PrintWriter out;

    private Main(PrintWriter out) {
        this.out = out;
    }

    public static void main(String[] words) throws IOException {
        try (PrintWriter out = new PrintWriter(new OutputStreamWriter(
                        new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16), StandardCharsets.UTF_8));
                BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            out.print("buto-classes\t1\n");
            Main main = new Main(out);
            for (String path = in.readLine(); path != null; path = in.readLine()) {
                out.print("file\t" + path + "\n");
                main.read(Paths.get(path));
            }
            out.print("end\n");
        }
    }

    private void read(Path path) {
        try {
            if (path.toString().endsWith(".class")) {
                add(path.getFileName().toString(), Files.readAllBytes(path));
            } else {
                try (InputStream in = new BufferedInputStream(Files.newInputStream(path), 1 << 16)) {
                    archive(in, 0);
                }
            }
        } catch (IOException | IllegalArgumentException error) {
            out.print("failure\t" + error.getClass().getSimpleName() + "\n");
        }
    }

    private void archive(InputStream in, int depth) throws IOException {
        ZipInputStream zip = new ZipInputStream(in);
        for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
            String name = entry.getName();
            if (entry.isDirectory()) {
                continue;
            }
            if (name.endsWith(".jar") && depth < DEEPEST) {
                archive(zip, depth + 1);
            } else {
                add(name, content(zip));
            }
        }
    }

    private static byte[] content(InputStream in) throws IOException {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        byte[] part = new byte[1 << 14];
        for (int size = in.read(part); size >= 0; size = in.read(part)) {
            content.write(part, 0, size);
            if (content.size() > LARGEST) {
                throw new IOException("an entry is too large");
            }
        }
        return content.toByteArray();
    }

    private void add(String name, byte[] content) {
        if (!name.endsWith(".class")) {
            // What builders and signers write differs between two builds of the same source.
            if (!name.startsWith("META-INF/") || name.startsWith("META-INF/services/")) {
                out.print("resource\t" + name.replaceAll("[\\t\\n\\r\\\\]", " ") + "\t" + ClassFile.digest(content) + "\n");
            }
        } else if (!name.endsWith("module-info.class")) {
            ClassFile read;
            try {
                read = new ClassFile(content);
            } catch (RuntimeException error) {
                // A damaged class tells nothing; the JVM will say so if it loads it.
                return;
            }
            read.print(out);
        }
    }
}
