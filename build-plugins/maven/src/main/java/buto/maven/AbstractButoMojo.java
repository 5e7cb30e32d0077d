package buto.maven;

import buto.launcher.BuildTool;
import buto.launcher.ButoException;
import buto.launcher.Executable;
import buto.launcher.Harness;
import buto.launcher.MeasuredTest;
import buto.launcher.Outcome;
import buto.launcher.Release;
import buto.launcher.Results;
import buto.launcher.RootProject;
import buto.launcher.Settings;
import buto.launcher.Suite;
import buto.launcher.Typed;
import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.inject.Inject;
import org.apache.maven.artifact.DependencyResolutionRequiredException;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.model.ConfigurationContainer;
import org.apache.maven.model.Plugin;
import org.apache.maven.plugin.AbstractMojo;
import org.apache.maven.plugin.MojoExecution;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.Parameter;
import org.apache.maven.project.MavenProject;
import org.codehaus.plexus.util.xml.Xpp3Dom;
import org.eclipse.aether.RepositorySystem;
import org.eclipse.aether.artifact.Artifact;
import org.eclipse.aether.artifact.DefaultArtifact;
import org.eclipse.aether.repository.RemoteRepository;
import org.eclipse.aether.resolution.ArtifactRequest;
import org.eclipse.aether.resolution.ArtifactResolutionException;

/** Runs a command of buto for each test. */
abstract class AbstractButoMojo extends AbstractMojo {
    /** Settings that goals have beside those of all builds, and those of JUnit, which runs in the same build. */
    private static final List<String> OTHERS =
            Arrays.asList("test", "skip", "failOnRegression", "train", "accept", "why");

    @Parameter(defaultValue = "${project}", readonly = true, required = true)
    private MavenProject project;

    @Parameter(defaultValue = "${session}", readonly = true, required = true)
    private MavenSession session;

    @Parameter(defaultValue = "${mojoExecution}", readonly = true, required = true)
    private MojoExecution execution;

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

    /**
     * Directory of the recorded runs; without it, <code>.buto</code> of the root project. Modules that share it are
     * measured one after the other.
     */
    @Parameter(property = "buto.store")
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

    boolean isSkipped() throws MojoExecutionException {
        return isOn("skip", skip);
    }

    /** Whether a switch is on: as it is typed, or else as the POM says. */
    final boolean isOn(String name, boolean said) throws MojoExecutionException {
        String text = typed().get(Typed.PREFIX + name);
        try {
            return text == null ? said : Typed.isOn(name, text);
        } catch (ButoException wrong) {
            throw new MojoExecutionException(wrong.getMessage(), wrong);
        }
    }

    @Override
    public final void execute() throws MojoExecutionException, MojoFailureException {
        if (isSkipped()) {
            getLog().info("buto is skipped");
            return;
        }
        Map<String, String> typed = typed();
        String only = typed.getOrDefault(Typed.PREFIX + "test", test);
        BuildTool maven = new Maven(session, project, typed);
        Suite suite = new Suite(maven, this::runtime, settings(typed), project.getBasedir(), tests);
        if (isTyped() && Maven.isMadeForOthers(session, project)) {
            getLog().info("nothing for buto to do in this module, which -pl does not name");
        } else if (suite.isEmpty() && isWithoutProgram()) {
            getLog().info("no tests for buto in this module");
        } else if (only != null && !tests.isEmpty() && !isDeclaredBy(project, only) && isElsewhere(only)) {
            getLog().info("no test '" + only + "' for buto in this module");
        } else {
            conclude(run(suite, only));
        }
    }

    /** Whether a user asked for this goal, and not the POM. */
    final boolean isTyped() {
        return execution.getSource() == MojoExecution.Source.CLI;
    }

    private boolean isElsewhere(String test) {
        return reactor.stream().anyMatch(module -> isDeclaredBy(module, test));
    }

    private static boolean isDeclaredBy(MavenProject module, String test) {
        Plugin plugin = module.getPlugin(Maven.PLUGIN);
        if (plugin == null) {
            return false;
        }
        Stream<Object> configurations = Stream.concat(
                Stream.of(plugin), plugin.getExecutions().stream())
                .map(ConfigurationContainer::getConfiguration);
        return configurations
                .filter(Xpp3Dom.class::isInstance)
                .map(configuration -> ((Xpp3Dom) configuration).getChild("tests"))
                .filter(Objects::nonNull)
                .flatMap(declared -> Stream.of(declared.getChildren()))
                .map(one -> one.getChild("name"))
                .anyMatch(name -> name != null && test.equals(name.getValue()));
    }

    /** Whether this module has nothing to measure, as when a goal is typed for a build in which only others have. */
    private boolean isWithoutProgram() {
        return project.getPackaging().equals("pom")
                || (project.getPlugin(Maven.PLUGIN) == null
                        && reactor.stream().anyMatch(module -> module.getPlugin(Maven.PLUGIN) != null));
    }

    private Results run(Suite suite, String only) throws MojoExecutionException {
        try {
            return suite.run(only, this::carryOut, this::classpath, getLog()::info, this::logIfQuiet);
        } catch (ButoException failure) {
            throw new MojoExecutionException(failure.getMessage(), failure);
        }
    }

    private Map<String, String> typed() {
        Properties typed = session.getUserProperties();
        return typed.stringPropertyNames().stream().collect(Collectors.toMap(name -> name, typed::getProperty));
    }

    /** What is typed replaces what the POM says, though Maven itself does it the other way round. */
    private Settings settings(Map<String, String> typed) throws MojoExecutionException {
        Settings settings = new Settings();
        settings.setExecutable(executable == null ? null : Executable.locate(executable, this::file));
        settings.setJava(java);
        settings.setOracles(oracles);
        settings.setReports(reports);
        settings.setStore(store == null ? new File(RootProject.of(project.getBasedir()), ".buto") : store);
        settings.setRuns(runs);
        settings.setCheckRuns(checkRuns);
        settings.setPairs(pairs);
        settings.setProfile(profile);
        settings.setAlpha(alpha);
        try {
            Typed.refuseUnknown(typed.keySet(), OTHERS, Maven.OPTION);
            Typed.apply(settings, name -> typed.get(Typed.PREFIX + name), this::file);
        } catch (ButoException wrong) {
            throw new MojoExecutionException(wrong.getMessage(), wrong);
        }
        return settings;
    }

    private File file(Object path) {
        File file = new File(path.toString());
        return file.isAbsolute() ? file : new File(project.getBasedir(), file.getPath());
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
