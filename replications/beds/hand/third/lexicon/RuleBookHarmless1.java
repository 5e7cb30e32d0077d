import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

final class RuleBookHarmless1 implements RuleBook {
    private final Map<String, Rule> rules = new HashMap<>();
    private int texts;
    private int changed;

    @Override public void text(int number) {
        texts = Math.max(texts, number + 1);
    }

    @Override public String inflect(String word, String rule) {
        String key = rule.strip().toLowerCase(Locale.ROOT);
        String form = ready(key).apply(word);
        if (!form.equals(word)) changed++;
        return form;
    }

    private Rule ready(String key) {
        Rule known = rules.get(key);
        if (known != null) return known;
        Rule made = RuleCompiler.compile(key);
        rules.put(key, made);
        return made;
    }

    @Override public List<String> summary() {
        return List.of("texts " + texts, "changed " + changed);
    }
}
