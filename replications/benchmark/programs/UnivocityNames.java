import com.univocity.parsers.common.NormalizedString;

/** Normalises the names of columns of many files, each with names of its own. */
final class UnivocityNames {
    private static final int FILES = 4000;
    private static final int COLUMNS = 20;

    public static void main(String[] args) throws Exception {
        int length = 0;
        for (int i = 0; i < FILES; i++) {
            for (int j = 0; j < COLUMNS; j++) {
                length += NormalizedString.valueOf("File " + i + " Column " + j).length();
            }
        }
        Use.print(length);
    }
}
