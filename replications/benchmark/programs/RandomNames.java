import java.util.HashSet;
import org.apache.commons.lang3.RandomStringUtils;

/** Makes random names for test data, as many tests do. */
final class RandomNames {
    private static final int NAMES = 150_000;

    public static void main(String[] args) throws Exception {
        var names = new HashSet<String>();
        for (int i = 0; i < NAMES; i++) {
            names.add(RandomStringUtils.randomAlphanumeric(16));
        }
        if (names.size() != NAMES) {
            throw new IllegalStateException("only " + names.size() + " names differ");
        }
        Use.print();
    }
}
