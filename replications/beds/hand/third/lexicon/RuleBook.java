import java.util.List;

/** The rules of a language, made ready for use when they are met. */
interface RuleBook {
    /** A new text begins. */
    void text(int number);

    String inflect(String word, String rule);

    List<String> summary();
}
