import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.flipkart.zjsonpatch.JsonDiff;

/** Takes the difference of two long arrays of text, of which few elements differ. */
final class ZjsonpatchDiff {
    private static final int ELEMENTS = 4_000;

    public static void main(String[] args) throws Exception {
        var mapper = new ObjectMapper();
        var patch = JsonDiff.asJson(array(mapper, 400), array(mapper, 500));
        System.out.println(patch.size());
        Use.print(patch);
    }

    private static ArrayNode array(ObjectMapper mapper, int every) {
        var array = mapper.createArrayNode();
        for (int i = 0; i < ELEMENTS; i++) {
            array.add(i % every == 0 ? "changed " + every : "element " + i);
        }
        return array;
    }
}
