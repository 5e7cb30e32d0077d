package buto.launcher;

/** How the user of one build tool says things: the words that messages advise to type. */
public final class BuildTool {
    final String train;
    final String accept;
    final String executable;
    final String tests;
    final String example;

    /**
     * @param train the command that trains
     * @param accept the command that accepts a change
     * @param executable the setting that names the command {@code buto}
     * @param tests where tests are declared
     * @param example a declared test
     */
    public BuildTool(String train, String accept, String executable, String tests, String example) {
        this.train = train;
        this.accept = accept;
        this.executable = executable;
        this.tests = tests;
        this.example = example;
    }
}
