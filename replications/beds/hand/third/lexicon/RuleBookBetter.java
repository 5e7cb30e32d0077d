import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

final class RuleBookBetter implements RuleBook {
    private final Map<String, Rule> rules = new HashMap<>();
    private int texts;
    private int changed;

    @Override public void text(int number) {
        texts = Math.max(texts, number + 1);
    }

    @Override public String inflect(String word, String rule) {
        String key = rule.strip().toLowerCase(Locale.ROOT);
        Rule ready = rules.get(key);
        if (ready == null) {
            ready = key.startsWith(">") || key.startsWith("e>") || key.startsWith("a>") || key.startsWith("y>") ? plain(key) : RuleCompiler.compile(key);
            rules.put(key, ready);
        }
        String form = ready.apply(word);
        if (!form.equals(word)) changed++;
        return form;
    }

    /** Rules that only add an ending, or change the last letter, are not worth a class. */
    private static Rule plain(String key) {
        int arrow = key.indexOf('>');
        return new CompiledRule(key.substring(0, arrow), key.substring(arrow + 1));
    }

    @Override public List<String> summary() {
        return List.of("texts " + texts, "changed " + changed);
    }
}
