import java.util.*;
import org.codehaus.janino.ExpressionEvaluator;

class EngineBase implements Engine {
    private final Map<String, ExpressionEvaluator> compiled = new HashMap<>();

    public int discount(String rule, int order, int pieces, int cents) throws Exception {
        ExpressionEvaluator e = compiled.get(rule);
        if (e == null) compiled.put(rule, e = new ExpressionEvaluator(rule, int.class, new String[] {"pieces", "cents"}, new Class<?>[] {int.class, int.class}));
        return (Integer) e.evaluate(new Object[] {pieces, cents});
    }
}

/** Tries rules with percentages by a check expression before use. */
class EngineSmall implements Engine {
    private final Map<String, ExpressionEvaluator> compiled = new HashMap<>();
    private final List<ExpressionEvaluator> checks = new ArrayList<>();

    public int discount(String rule, int order, int pieces, int cents) throws Exception {
        ExpressionEvaluator e = compiled.get(rule);
        if (e == null) {
            if (rule.startsWith("cents")) check(rule);
            compiled.put(rule, e = new ExpressionEvaluator(rule, int.class, new String[] {"pieces", "cents"}, new Class<?>[] {int.class, int.class}));
        }
        return (Integer) e.evaluate(new Object[] {pieces, cents});
    }

    private void check(String rule) throws Exception {
        ExpressionEvaluator c = new ExpressionEvaluator("(" + rule + ") <= cents", boolean.class, new String[] {"pieces", "cents"}, new Class<?>[] {int.class, int.class});
        if (!(Boolean) c.evaluate(new Object[] {1, 30_000})) throw new IllegalArgumentException("more than the price: " + rule);
        checks.add(c);
    }
}

/** Rules by order, so that a changed rule does not touch old orders. */
class EngineLarge implements Engine {
    private final Map<String, ExpressionEvaluator> compiled = new HashMap<>();

    public int discount(String rule, int order, int pieces, int cents) throws Exception {
        String key = order + ":" + rule;
        ExpressionEvaluator e = compiled.get(key);
        if (e == null) compiled.put(key, e = new ExpressionEvaluator(rule, int.class, new String[] {"pieces", "cents"}, new Class<?>[] {int.class, int.class}));
        return (Integer) e.evaluate(new Object[] {pieces, cents});
    }
}

class EngineHarmless1 implements Engine {
    private static final String[] NAMES = {"pieces", "cents"};
    private static final Class<?>[] TYPES = {int.class, int.class};
    private final SortedMap<String, ExpressionEvaluator> byText = new TreeMap<>();

    @Override public int discount(String rule, int order, int pieces, int cents) throws Exception {
        Object result = evaluator(rule).evaluate(new Object[] {pieces, cents});
        return (Integer) result;
    }

    private ExpressionEvaluator evaluator(String text) throws Exception {
        if (!byText.containsKey(text)) byText.put(text, new ExpressionEvaluator(text, int.class, NAMES, TYPES));
        return byText.get(text);
    }
}

class EngineHarmless2 implements Engine {
    private static final class Rule {
        private final ExpressionEvaluator evaluator = new ExpressionEvaluator();

        Rule(String text) throws Exception {
            evaluator.setParameters(new String[] {"pieces", "cents"}, new Class<?>[] {int.class, int.class});
            evaluator.setExpressionType(int.class);
            evaluator.cook(text);
        }

        int apply(int pieces, int cents) throws Exception {
            return (Integer) evaluator.evaluate(new Object[] {pieces, cents});
        }
    }

    private final Map<String, Rule> rules = new LinkedHashMap<>();

    public int discount(String rule, int order, int pieces, int cents) throws Exception {
        Rule r = rules.get(rule);
        if (r == null) rules.put(rule, r = new Rule(rule));
        return r.apply(pieces, cents);
    }
}

/** Rules that differ in their numbers only share a class: the numbers are arguments. */
class EngineBetter implements Engine {
    private record Rule(ExpressionEvaluator shape, int[] numbers) { }

    private final Map<String, ExpressionEvaluator> shapes = new HashMap<>();
    private final Map<String, Rule> rules = new HashMap<>();

    public int discount(String rule, int order, int pieces, int cents) throws Exception {
        Rule r = rules.get(rule);
        if (r == null) rules.put(rule, r = parse(rule));
        return (Integer) r.shape().evaluate(new Object[] {pieces, cents, r.numbers()});
    }

    private Rule parse(String rule) throws Exception {
        StringBuilder shape = new StringBuilder();
        List<Integer> numbers = new ArrayList<>();
        for (StringTokenizer t = new StringTokenizer(rule, " ()", true); t.hasMoreTokens(); ) {
            String s = t.nextToken();
            if (Character.isDigit(s.charAt(0))) {
                shape.append("n[").append(numbers.size()).append(']');
                numbers.add(Integer.parseInt(s));
            } else {
                shape.append(s);
            }
        }
        String text = shape.toString();
        ExpressionEvaluator e = shapes.get(text);
        if (e == null) shapes.put(text, e = new ExpressionEvaluator(text, int.class, new String[] {"pieces", "cents", "n"}, new Class<?>[] {int.class, int.class, int[].class}));
        return new Rule(e, numbers.stream().mapToInt(Integer::intValue).toArray());
    }
}
