import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;

/** Makes a class for a rule such as "y>ies". */
final class RuleCompiler {
    private static final byte[] PATTERN = pattern();

    private RuleCompiler() { }

    private static byte[] pattern() {
        try (InputStream in = RuleCompiler.class.getResourceAsStream("CompiledRule.class")) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static Rule compile(String rule) {
        int arrow = rule.indexOf('>');
        try {
            Class<?> made = MethodHandles.lookup().defineHiddenClass(PATTERN, true).lookupClass();
            return (Rule) made.getConstructor(String.class, String.class).newInstance(rule.substring(0, arrow), rule.substring(arrow + 1));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(rule, e);
        }
    }
}
