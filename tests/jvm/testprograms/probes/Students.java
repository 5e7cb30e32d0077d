import buto.testprograms.consumerproducer.StudentFactory;

/** Prints the first students of each seed that is given. */
public final class Students {
    public static void main(String[] seeds) {
        for (String seed : seeds) {
            System.out.println(new StudentFactory(Long.parseLong(seed)).students(100));
        }
    }
}
