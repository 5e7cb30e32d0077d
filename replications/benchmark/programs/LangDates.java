import java.util.TimeZone;
import org.apache.commons.lang3.time.FastDateFormat;

/** Formats many instants as the log of a server does. */
final class LangDates {
    private static final int DATES = 400_000;

    public static void main(String[] args) throws Exception {
        FastDateFormat format =
                FastDateFormat.getInstance("yyyy-MM-dd'T'HH:mm:ss.SSS", TimeZone.getTimeZone("UTC"));
        long length = 0;
        for (int i = 0; i < DATES; i++) {
            length += format.format(1_400_000_000_000L + i * 10_007L).length();
        }
        Use.print(length);
    }
}
