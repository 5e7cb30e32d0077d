import org.apache.commons.lang3.builder.HashCodeBuilder;

/** Computes hash codes of values that hold other values. */
final class LangHashCodes {
    private static final int ROUNDS = 1_500_000;

    private static final class Part {
        private final int number;

        private Part(int number) {
            this.number = number;
        }

        @Override
        public int hashCode() {
            return number;
        }
    }

    public static void main(String[] args) throws Exception {
        Part[] parts = new Part[64];
        for (int i = 0; i < parts.length; i++) {
            parts[i] = new Part(i);
        }
        long sum = 0;
        for (int i = 0; i < ROUNDS; i++) {
            Object first = parts[i % parts.length];
            Object second = parts[(i + 7) % parts.length];
            sum += new HashCodeBuilder().append(first).append(second).toHashCode();
        }
        Use.print(sum);
    }
}
