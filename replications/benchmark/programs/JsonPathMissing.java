import com.jayway.jsonpath.Configuration;
import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import com.jayway.jsonpath.Option;

/** Reads a field that most documents lack; that it is missing is no error. */
final class JsonPathMissing {
    private static final int READS = 250_000;

    public static void main(String[] args) throws Exception {
        Configuration quiet = Configuration.defaultConfiguration().addOptions(Option.SUPPRESS_EXCEPTIONS);
        DocumentContext document = JsonPath.using(quiet).parse("{\"name\": \"one\", \"parts\": [1, 2]}");
        JsonPath size = JsonPath.compile("$.size");
        int found = 0;
        for (int i = 0; i < READS; i++) {
            found += document.read(size) == null ? 0 : 1;
        }
        Use.print(found, document);
    }
}
