import com.eclipsesource.json.JsonArray;
import com.eclipsesource.json.JsonObject;
import java.io.Writer;

/** Writes an array of objects, many times. */
final class MinimalJsonWrite {
    private static final int TIMES = 600;

    public static void main(String[] args) throws Exception {
        var array = new JsonArray();
        for (int i = 0; i < 1000; i++) {
            array.add(new JsonObject().add("id", i).add("name", "name").add("size", 3));
        }
        for (int i = 0; i < TIMES; i++) {
            array.writeTo(Writer.nullWriter());
        }
        Use.print(array);
    }
}
