import com.jayway.jsonpath.Configuration;
import com.jayway.jsonpath.EvaluationListener;
import com.jayway.jsonpath.JsonPath;

/** Looks for the first value that a path matches, and stops there. */
final class JsonPathFirst {
    private static final int TIMES = 100_000;

    public static void main(String[] args) throws Exception {
        Configuration stop = Configuration.defaultConfiguration()
                .setEvaluationListeners(found -> EvaluationListener.EvaluationContinuation.ABORT);
        JsonPath path = JsonPath.compile("$.a[*].b");
        Object json = stop.jsonProvider().parse("{\"a\":[{\"b\":1},{\"b\":2},{\"b\":3}]}");
        Object kept = null;
        for (int i = 0; i < TIMES; i++) {
            kept = path.read(json, stop);
        }
        Use.print(kept);
    }
}
