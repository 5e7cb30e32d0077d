package buto.maven;

import buto.launcher.BuildTool;
import buto.launcher.ButoException;
import buto.launcher.Harness;
import buto.launcher.MeasuredTest;
import buto.launcher.Outcome;
import buto.launcher.Release;
import buto.launcher.Results;
import buto.launcher.Settings;
import buto.launcher.Suite;
import java.io.File;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import javax.inject.Inject;
import org.apache.maven.artifact.DependencyResolutionRequiredException;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.plugin.AbstractMojo;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.Parameter;
import org.apache.maven.project.MavenProject;
import org.eclipse.aether.RepositorySystem;
import org.eclipse.aether.artifact.Artifact;
import org.eclipse.aether.artifact.DefaultArtifact;
import org.eclipse.aether.repository.RemoteRepository;
import org.eclipse.aether.resolution.ArtifactRequest;
import org.eclipse.aether.resolution.ArtifactResolutionException;

/** Runs a command of buto for each test. */
abstract class AbstractButoMojo extends AbstractMojo {
    private static final String PLUGIN = Release.group() + ":buto-maven-plugin";

    @Parameter(defaultValue = "${project}", readonly = true, required = true)
    private MavenProject project;

    @Parameter(defaultValue = "${session}", readonly = true, required = true)
    private MavenSession session;

    @Parameter(defaultValue = "${reactorProjects}", readonly = true, required = true)
    private List<MavenProject> reactor;

    @Parameter(defaultValue = "${project.remotePluginRepositories}", readonly = true, required = true)
    private List<RemoteRepository> repositories;

    @Inject
    private RepositorySystem resolver;

    /**
     * The tests, each with a <code>name</code> and one of <code>mainClass</code>, <code>jar</code> and
     * <code>command</code>; <code>arguments</code>, <code>jvmArguments</code> and <code>testClasspath</code> as needed.
     * Without any, those of the module's <code>buto.yaml</code>.
     */
    @Parameter
    private List<Test> tests = Collections.emptyList();

    /** Name of the only test to run; without it, all tests run. */
    @Parameter(property = "buto.test")
    private String test;

    /**
     * The command <code>buto</code>: a path, or a name to look for in <code>PATH</code>. Without it, buto is fetched
     * from where this plugin is from, with a Python of its own.
     */
    @Parameter(property = "buto.executable")
    private String executable;

    /** The command <code>java</code> of the JVM to measure. */
    @Parameter(property = "buto.java", defaultValue = "${java.home}/bin/java")
    private File java;

    /** Directory of the oracles, one file per test, to be committed. */
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

    /** How often <code>why</code> launches the program. */
    @Parameter(property = "buto.pairs")
    private Integer pairs;

    /** Whether <code>train</code> also stores a profile, which <code>why</code> needs. */
    @Parameter(property = "buto.profile", defaultValue = "false")
    private boolean profile;

    /** Share of the checks of an unchanged program that may fail by chance. */
    @Parameter(property = "buto.alpha")
    private String alpha;

    /** Whether this goal does nothing. */
    @Parameter(property = "buto.skip", defaultValue = "false")
    private boolean skip;

    /** Runs the goal's command for one test, see {@link Suite.Command}. */
    abstract Outcome carryOut(Harness harness, String name, List<String> program) throws ButoException;

    /** Passes, warns or fails by the outcomes. */
    void conclude(Results results) throws MojoExecutionException, MojoFailureException {
        if (results.broken() != null) {
            throw new MojoExecutionException(results.broken());
        }
    }

    boolean isSkipped() {
        return skip;
    }

    @Override
    public final void execute() throws MojoExecutionException, MojoFailureException {
        String module = reactor.size() == 1 ? null : project.getArtifactId();
        BuildTool maven = new Maven(module, session.getUserProperties());
        Suite suite = new Suite(maven, this::runtime, settings(), project.getBasedir(), tests);
        if (isSkipped()) {
            getLog().info("buto is skipped");
        } else if (suite.isEmpty() && isWithoutProgram()) {
            getLog().info("no tests for buto in this module");
        } else {
            conclude(run(suite));
        }
    }

    /** Whether this module has nothing to measure, as when a goal is typed for a build in which only others have. */
    private boolean isWithoutProgram() {
        return project.getPackaging().equals("pom")
                || (project.getPlugin(PLUGIN) == null
                        && reactor.stream().anyMatch(module -> module.getPlugin(PLUGIN) != null));
    }

    private Results run(Suite suite) throws MojoExecutionException {
        try {
            return suite.run(test, this::carryOut, this::classpath, getLog()::info, this::logIfQuiet);
        } catch (ButoException failure) {
            throw new MojoExecutionException(failure.getMessage(), failure);
        }
    }

    private Settings settings() {
        Settings settings = new Settings();
        settings.setExecutable(executable());
        settings.setJava(java);
        settings.setOracles(oracles);
        settings.setReports(reports);
        settings.setStore(store);
        settings.setRuns(runs);
        settings.setCheckRuns(checkRuns);
        settings.setPairs(pairs);
        settings.setProfile(profile);
        settings.setAlpha(alpha);
        return settings;
    }

    private File executable() {
        if (executable == null) {
            return null;
        }
        File named = new File(executable);
        return named.isAbsolute() || named.getParent() == null ? named : new File(project.getBasedir(), executable);
    }

    private File runtime(String machine) throws ButoException {
        Artifact artifact =
                new DefaultArtifact(Release.group(), Release.RUNTIME, machine, Release.PACKED, Release.version());
        try {
            return resolver.resolveArtifact(
                            session.getRepositorySession(), new ArtifactRequest(artifact, repositories, null))
                    .getArtifact()
                    .getFile();
        } catch (ArtifactResolutionException failure) {
            throw new ButoException(
                    "the runtime of buto cannot be fetched: " + failure.getMessage(),
                    "look at <pluginRepositories> and the network, or name an installed buto: -Dbuto.executable=buto");
        }
    }

    /** With {@code -q}, buto's output was not shown before. */
    private void logIfQuiet(String line) {
        if (!getLog().isInfoEnabled()) {
            getLog().error(line);
        }
    }

    private List<File> classpath(MeasuredTest one) throws ButoException {
        List<File> entries = new ArrayList<>();
        try {
            List<String> paths = one.isTestClasspath()
                    ? project.getTestClasspathElements()
                    : project.getRuntimeClasspathElements();
            paths.forEach(path -> entries.add(new File(path)));
        } catch (DependencyResolutionRequiredException failure) {
            throw new ButoException("the class path is not known: " + failure.getMessage());
        }
        return entries;
    }
}
