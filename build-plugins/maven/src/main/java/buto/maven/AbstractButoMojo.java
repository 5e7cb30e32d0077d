package buto.maven;

import buto.launcher.ButoException;
import buto.launcher.Executable;
import buto.launcher.Harness;
import buto.launcher.MeasuredTest;
import buto.launcher.Outcome;
import buto.launcher.Results;
import java.io.File;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.maven.artifact.DependencyResolutionRequiredException;
import org.apache.maven.plugin.AbstractMojo;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.Parameter;
import org.apache.maven.project.MavenProject;

/** What the goals have in common: which tests there are, and how buto is started for each. */
abstract class AbstractButoMojo extends AbstractMojo {
    private static final String CONFIGURATION = "buto.yaml";
    private static final String PLUGIN = "buto:buto-maven-plugin";

    @Parameter(defaultValue = "${project}", readonly = true, required = true)
    private MavenProject project;

    @Parameter(defaultValue = "${reactorProjects}", readonly = true, required = true)
    private List<MavenProject> reactor;

    /**
     * The tests, each with a <code>name</code> and one of <code>mainClass</code>, <code>jar</code> and
     * <code>command</code>; <code>arguments</code>, <code>jvmArguments</code> and <code>testClasspath</code> as needed.
     * Without any, those of the module's <code>buto.yaml</code>.
     */
    @Parameter
    private List<Test> tests = Collections.emptyList();

    /** Name of the one test that is meant; without it, all are. */
    @Parameter(property = "buto.test")
    private String test;

    /** The command <code>buto</code>; without it, the one in <code>PATH</code>. */
    @Parameter(property = "buto.executable")
    private File executable;

    /** The command <code>java</code> of the JVM to measure. */
    @Parameter(property = "buto.java", defaultValue = "${java.home}/bin/java")
    private File java;

    /** Directory of what was learned, one file a test, to be committed. */
    @Parameter(property = "buto.oracles", defaultValue = "${project.basedir}/src/test/buto")
    private File oracles;

    /** Directory of the reports. */
    @Parameter(property = "buto.reports", defaultValue = "${project.build.directory}/buto-reports")
    private File reports;

    /** Directory of the recorded runs. Modules that share it are measured one after the other. */
    @Parameter(property = "buto.store", defaultValue = "${session.executionRootDirectory}/.buto")
    private File store;

    /** How many runs train. */
    @Parameter(property = "buto.runs")
    private Integer runs;

    /** How many runs are checked; without it, one, and more to confirm a failure. */
    @Parameter(property = "buto.checkRuns")
    private Integer checkRuns;

    /** Share of the checks of an unchanged program that may fail by chance. */
    @Parameter(property = "buto.alpha")
    private String alpha;

    /** Whether this goal does nothing. */
    @Parameter(property = "buto.skip", defaultValue = "false")
    private boolean skip;

    /** What the goal does with one test; without a program it is that of buto.yaml, without a name all of them. */
    abstract Outcome carryOut(Harness harness, String name, List<String> program) throws ButoException;

    /** What the goal makes of the outcomes. */
    abstract void conclude(Results results) throws MojoExecutionException, MojoFailureException;

    boolean isSkipped() {
        return skip;
    }

    @Override
    public final void execute() throws MojoExecutionException, MojoFailureException {
        boolean configured = new File(project.getBasedir(), CONFIGURATION).isFile();
        if (isSkipped()) {
            getLog().info("buto is skipped");
        } else if (tests.isEmpty() && !configured && isWithoutProgram()) {
            getLog().info("no tests for buto in this module");
        } else {
            conclude(carryOutAll(configured));
        }
    }

    /** Whether nobody can mean this module, as when a goal is typed for a build of which other modules have tests. */
    private boolean isWithoutProgram() {
        return project.getPackaging().equals("pom")
                || (project.getPlugin(PLUGIN) == null
                        && reactor.stream().anyMatch(module -> module.getPlugin(PLUGIN) != null));
    }

    private Results carryOutAll(boolean configured) throws MojoExecutionException {
        try {
            List<Test> selected = selected(configured);
            List<List<String>> programs = new ArrayList<>();
            for (Test one : selected) {
                programs.add(one.commandLine(java, classpath(one), project.getBasedir()));
            }
            Executable buto = Executable.find(executable, "<executable> or -Dbuto.executable=");
            Harness harness = new Harness(buto, project.getBasedir(), getLog()::info, this::sayIfQuiet)
                    .store(store)
                    .oracles(tests.isEmpty() ? null : oracles)
                    .reports(reports)
                    .runs(runs)
                    .checkRuns(checkRuns)
                    .alpha(alpha);
            Results results = new Results("mvn package buto:train", "mvn package buto:accept", reports);
            for (int i = 0; i < programs.size(); i++) {
                String name = selected.get(i).getName();
                results.add(name, carryOut(harness, name, programs.get(i)));
            }
            if (tests.isEmpty()) {
                results.add(test, carryOut(harness, test, null));
            }
            return results;
        } catch (ButoException failure) {
            throw new MojoExecutionException(failure.getMessage(), failure);
        }
    }

    /** With {@code -q}, nothing of what buto printed was seen. */
    private void sayIfQuiet(String line) {
        if (!getLog().isInfoEnabled()) {
            getLog().error(line);
        }
    }

    private List<Test> selected(boolean configured) throws ButoException {
        if (tests.isEmpty() && !configured) {
            throw new ButoException(
                    "there is nothing to measure: no <tests> in the POM, and no " + CONFIGURATION + " in "
                            + project.getBasedir(),
                    "<tests><test><name>NAME</name><mainClass>com.acme.Main</mainClass></test></tests>"
                            + " in the plugin's <configuration>");
        }
        List<Test> selected = new ArrayList<>(tests);
        selected.removeIf(one -> test != null && !test.equals(one.getName()));
        if (selected.isEmpty() && !tests.isEmpty()) {
            throw new ButoException("there is no test '" + test + "'", "one of those in <tests>");
        }
        return selected;
    }

    private List<File> classpath(MeasuredTest one) throws MojoExecutionException {
        List<File> entries = new ArrayList<>();
        try {
            List<String> paths = one.isTestClasspath()
                    ? project.getTestClasspathElements()
                    : project.getRuntimeClasspathElements();
            paths.forEach(path -> entries.add(new File(path)));
        } catch (DependencyResolutionRequiredException failure) {
            throw new MojoExecutionException("the class path is not known: " + failure.getMessage(), failure);
        }
        return entries;
    }
}
