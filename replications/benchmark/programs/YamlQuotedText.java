import org.yaml.snakeyaml.Yaml;

/** Reads lists of quoted sentences. */
final class YamlQuotedText {
    private static final int DOCUMENTS = 60;

    public static void main(String[] args) throws Exception {
        String document = "- \"a sentence of some short words in quotes, as it is in many files\"\n".repeat(400);
        int length = 0;
        for (int i = 0; i < DOCUMENTS; i++) {
            length += new Yaml().load(document).toString().length();
        }
        Use.print(length);
    }
}
