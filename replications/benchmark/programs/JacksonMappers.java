import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Makes mappers, uses each once, and keeps them all, as applications with a mapper for each client do. */
final class JacksonMappers {
    private static final int MAPPERS = 3_000;

    public record Point(int x, int y) {}

    public static void main(String[] args) throws Exception {
        List<ObjectMapper> kept = new ArrayList<>();
        for (int i = 0; i < MAPPERS; i++) {
            var mapper = new ObjectMapper();
            mapper.readValue(mapper.writeValueAsString(new Point(i, 1)), Map.class);
            kept.add(mapper);
        }
        Use.print(kept);
    }
}
