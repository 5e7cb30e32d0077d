package buto.junit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;

/** The processes that started this one, as Linux tells them. */
final class Ancestors {
    private static final Path PROCESSES = Paths.get("/proc");

    private Ancestors() {}

    /** Returns the directory of the JVM that started this one, itself or by a shell; null if that cannot be told. */
    static String directory() {
        try {
            String process = parent("self");
            while (!process.equals("0") && !isJvm(process)) {
                process = parent(process);
            }
            return process.equals("0") ? null : read(process, "cwd").toString();
        } catch (IOException untold) {
            return null;
        }
    }

    private static boolean isJvm(String process) throws IOException {
        return read(process, "exe").endsWith("java");
    }

    private static Path read(String process, String link) throws IOException {
        return Files.readSymbolicLink(PROCESSES.resolve(process).resolve(link));
    }

    /** The name of a program stands in parentheses before the other fields, and may have spaces itself. */
    private static String parent(String process) throws IOException {
        byte[] fields = Files.readAllBytes(PROCESSES.resolve(process).resolve("stat"));
        String told = new String(fields, StandardCharsets.UTF_8);
        return told.substring(told.lastIndexOf(')') + 2).split(" ")[1];
    }
}
