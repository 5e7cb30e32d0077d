import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

final class RuleBookLarge implements RuleBook {
    private final Map<String, Rule> rules = new HashMap<>();
    private int texts;
    private int changed;

    @Override public void text(int number) {
        rules.clear();
        texts = Math.max(texts, number + 1);
    }

    @Override public String inflect(String word, String rule) {
        String key = rule.strip().toLowerCase(Locale.ROOT);
        Rule ready = rules.get(key);
        if (ready == null) {
            ready = RuleCompiler.compile(key);
            rules.put(key, ready);
        }
        String form = ready.apply(word);
        if (!form.equals(word)) changed++;
        return form;
    }

    @Override public List<String> summary() {
        return List.of("texts " + texts, "changed " + changed);
    }
}
