import java.io.ByteArrayOutputStream;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import javax.servlet.ServletOutputStream;
import javax.servlet.WriteListener;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import spark.staticfiles.StaticFilesConfiguration;

/** Answers requests for one small file of a folder. */
final class SparkStaticFiles {
    private static final int REQUESTS = 300;

    public static void main(String[] args) throws Exception {
        Path folder = Files.createTempDirectory("static");
        Path file = Files.writeString(folder.resolve("page.txt"), "one page");
        StaticFilesConfiguration files = StaticFilesConfiguration.create();
        files.configureExternal(folder.toString());
        Enumeration<String> none = Collections.emptyEnumeration();
        HttpServletRequest request =
                of(HttpServletRequest.class, Map.of("getPathInfo", "/page.txt", "getHeaders", none));
        Out out = new Out();
        HttpServletResponse response =
                of(HttpServletResponse.class, Map.of("getOutputStream", out, "getHeaders", List.of()));
        int answered = 0;
        for (int i = 0; i < REQUESTS; i++) {
            answered += files.consume(request, response) ? 1 : 0;
        }
        Files.delete(file);
        Files.delete(folder);
        if (answered != REQUESTS) {
            throw new IllegalStateException("answered " + answered);
        }
        Use.print(out.bytes);
    }

    private static <T> T of(Class<T> type, Map<String, Object> answers) {
        Class<?>[] types = {type};
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(), types, (proxy, method, args) -> answers.get(method.getName())));
    }

    private static final class Out extends ServletOutputStream {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        @Override
        public void write(int one) {
            bytes.write(one);
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {}
    }
}
