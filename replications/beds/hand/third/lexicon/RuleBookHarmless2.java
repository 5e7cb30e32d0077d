import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

final class RuleBookHarmless2 implements RuleBook {
    private final Map<String, Rule> compiled = new TreeMap<>();
    private int texts;
    private int altered;

    @Override public void text(int number) {
        texts = Math.max(texts, number + 1);
    }

    @Override public String inflect(String word, String rule) {
        String key = rule.strip().toLowerCase(Locale.ROOT);
        Rule ready = compiled.get(key);
        if (ready == null) {
            ready = RuleCompiler.compile(key);
            compiled.put(key, ready);
        }
        String form = ready.apply(word);
        if (!form.equals(word)) altered++;
        return form;
    }

    @Override public List<String> summary() {
        return List.of("texts " + texts, "changed " + altered);
    }
}
