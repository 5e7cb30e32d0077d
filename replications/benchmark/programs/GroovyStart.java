import groovy.lang.GroovyShell;

/** Evaluates a script with some dozen calls. */
final class GroovyStart {
    private static final String SCRIPT = "def prices = [apple: 3, pear: 4, plum: 2]\n"
            + "def total = 0\n"
            + "prices.each { name, price -> total += price * name.size() }\n"
            + "def names = prices.keySet().findAll { it.startsWith('p') }.collect { it.toUpperCase() }.sort()\n"
            + "def text = \"${names.join(', ')}: ${total}\"\n"
            + "assert text.contains('PEAR')\n"
            + "(1..50).inject(0) { sum, n -> n % 3 == 0 ? sum + n : sum }\n";

    public static void main(String[] args) throws Exception {
        Object sum = new GroovyShell().evaluate(SCRIPT);
        if (!Integer.valueOf(408).equals(sum)) {
            throw new IllegalStateException("the script gave " + sum);
        }
        Use.ready();
        Use.print(sum);
    }
}
