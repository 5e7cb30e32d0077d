import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;

/** Uses a new mapper, and so a new factory, for each of many small documents. */
final class JacksonShortLived {
    private static final int DOCUMENTS = 60_000;

    public static void main(String[] args) throws Exception {
        long characters = 0;
        for (int i = 0; i < DOCUMENTS; i++) {
            var mapper = new ObjectMapper();
            Map<?, ?> read = mapper.readValue("{\"number\": " + i + ", \"name\": \"a\"}", Map.class);
            characters += mapper.writeValueAsString(read).length();
        }
        System.out.println(characters);
        Use.print();
    }
}
