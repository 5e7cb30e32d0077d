import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import java.math.BigDecimal;

/** Reads long numbers with an exponent. */
final class JacksonDecimals {
    private static final int NUMBERS = 8;

    public static void main(String[] args) throws Exception {
        String number = "1234567890".repeat(60) + "e50000";
        BigDecimal kept = BigDecimal.ZERO;
        for (int i = 0; i < NUMBERS; i++) {
            try (JsonParser parser = new JsonFactory().createParser(number)) {
                parser.nextToken();
                kept = parser.getDecimalValue();
            }
        }
        Use.print(kept);
    }
}
