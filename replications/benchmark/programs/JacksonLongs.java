import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;

/** Reads arrays of times in nanoseconds, which have 19 digits. */
final class JacksonLongs {
    private static final int ARRAYS = 200;

    public static void main(String[] args) throws Exception {
        StringBuilder text = new StringBuilder("[1");
        for (int i = 0; i < 5000; i++) {
            text.append(',').append(1_600_000_000_000_000_000L + i * 1_000_003L);
        }
        String json = text.append(']').toString();
        JsonFactory factory = new JsonFactory();
        long sum = 0;
        for (int i = 0; i < ARRAYS; i++) {
            try (JsonParser parser = factory.createParser(json)) {
                for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                    if (token == JsonToken.VALUE_NUMBER_INT) {
                        sum += parser.getLongValue();
                    }
                }
            }
        }
        Use.print(sum);
    }
}
