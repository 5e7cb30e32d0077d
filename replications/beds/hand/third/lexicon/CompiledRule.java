/** The pattern of a compiled rule: each rule is a class of its own, so that the compiler of the machine can tune it. */
public final class CompiledRule implements Rule {
    private final String cut;
    private final String put;
    private final int room;

    public CompiledRule(String cut, String put) {
        this.cut = cut;
        this.put = put;
        room = put.length() - cut.length();
    }

    @Override public String apply(String word) {
        if (!word.endsWith(cut)) return word;
        StringBuilder out = new StringBuilder(word.length() + room);
        return out.append(word, 0, word.length() - cut.length()).append(put).toString();
    }
}
