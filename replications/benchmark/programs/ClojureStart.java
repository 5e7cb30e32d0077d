import clojure.java.api.Clojure;

/** Starts the language and adds two numbers. */
final class ClojureStart {
    public static void main(String[] args) throws Exception {
        Object sum = Clojure.var("clojure.core", "+").invoke(1, 2);
        if (!sum.equals(3L)) {
            throw new IllegalStateException("the sum is " + sum);
        }
        Use.ready();
        Use.print();
    }
}
