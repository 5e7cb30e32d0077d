import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javassist.ClassPath;
import javassist.ClassPool;

/** Reads a class from each of several jars, which are taken out of the class path again, as a tool that changes classes. */
final class JavassistJars {
    private static final int JARS = 10;

    public static void main(String[] args) throws Exception {
        byte[] type;
        try (InputStream own = JavassistJars.class.getResourceAsStream("JavassistJars.class")) {
            type = own.readAllBytes();
        }
        List<Path> jars = new ArrayList<>();
        for (int i = 0; i < JARS; i++) {
            jars.add(jar("Good" + i, type));
        }
        int methods = 0;
        for (Path jar : jars) {
            var pool = new ClassPool(false);
            ClassPath path = pool.appendClassPath(jar.toString());
            methods += pool.get("JavassistJars").getDeclaredMethods().length;
            pool.removeClassPath(path);
        }
        System.out.println(methods);
        Use.print();
        for (Path jar : jars) {
            Files.delete(jar);
        }
    }

    private static Path jar(String name, byte[] type) throws Exception {
        Path jar = Files.createTempFile(name, ".jar");
        try (OutputStream file = Files.newOutputStream(jar);
                var out = new ZipOutputStream(file)) {
            out.putNextEntry(new ZipEntry("JavassistJars.class"));
            out.write(type);
        }
        return jar;
    }
}
