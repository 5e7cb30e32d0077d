import org.json.JSONObject;

/** Makes a JSON object of a bean, many times. */
public final class JsonBeans {
    private static final int TIMES = 40_000;

    public static void main(String[] args) throws Exception {
        JSONObject kept = null;
        for (int i = 0; i < TIMES; i++) {
            kept = new JSONObject(new Book());
        }
        Use.print(kept);
    }

    /** What is written. */
    public static final class Book {
        public String getTitle() {
            return "title";
        }

        public String getAuthor() {
            return "author";
        }

        public int getPages() {
            return 100;
        }

        public boolean isPrinted() {
            return true;
        }
    }
}
