package buto.testprograms.leaker;

/** Prints what the string and the string builder hold for the same seed, and the builder's room. */
public final class Texts {
    public static void main(String[] arguments) {
        System.out.println(new StringFactory(new Pieces(7, 133, 400)).create());
        StringBuilder builder = (StringBuilder) new StringBuilderFactory(new Pieces(7, 133, 400)).create();
        System.out.println(builder);
        System.out.println(builder.capacity());
    }
}
