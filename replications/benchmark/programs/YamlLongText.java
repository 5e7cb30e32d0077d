import org.yaml.snakeyaml.Yaml;

/** Loads documents of many short entries and one long text without line breaks. */
final class YamlLongText {
    private static final int ENTRIES = 10_000;
    private static final int CHARACTERS = 20_000;
    private static final int TIMES = 8;

    public static void main(String[] args) throws Exception {
        var text = new StringBuilder("long: |\n  ").append("'name':'value',".repeat(CHARACTERS / 15)).append('\n');
        for (int i = 0; i < ENTRIES; i++) {
            text.append("key").append(i).append(": value ").append(i).append('\n');
        }
        String document = text.toString();
        long length = 0;
        for (int i = 0; i < TIMES; i++) {
            length += new Yaml().load(document).toString().length();
        }
        System.out.println(length);
        Use.print();
    }
}
