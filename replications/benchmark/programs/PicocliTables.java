import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.ColorScheme;
import picocli.CommandLine.Help.TextTable;
import picocli.CommandLine.Help;

/** Prints long tables into memory, as a command that lists things does. */
final class PicocliTables {
    private static final int TABLES = 40;
    private static final int ROWS = 250;

    public static void main(String[] args) throws Exception {
        ColorScheme colors = Help.defaultColorScheme(Ansi.AUTO);
        long length = 0;
        for (int i = 0; i < TABLES; i++) {
            TextTable table =
                    TextTable.forColumns(
                            colors,
                            new Column(20, 2, Column.Overflow.SPAN),
                            new Column(40, 2, Column.Overflow.SPAN));
            for (int j = 0; j < ROWS; j++) {
                table.addRowValues("name " + j, "what is known of it " + j);
            }
            length += table.toString().length();
        }
        Use.print(length);
    }
}
