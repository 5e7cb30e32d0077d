/** Puts a word into another form. */
public interface Rule {
    String apply(String word);
}
