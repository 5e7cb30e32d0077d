import org.json.JSONArray;

/** Copies an array of numbers and texts, many times. */
final class JsonMerge {
    private static final int TIMES = 6000;

    public static void main(String[] args) throws Exception {
        var array = new JSONArray();
        for (int i = 0; i < 5000; i++) {
            array.put(i % 2 == 0 ? (Object) i : "text");
        }
        JSONArray kept = null;
        for (int i = 0; i < TIMES; i++) {
            kept = new JSONArray(array);
        }
        Use.print(kept);
    }
}
