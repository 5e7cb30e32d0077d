package buto.maven;

import buto.launcher.BuildTool;
import buto.launcher.Release;
import buto.launcher.Typed;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.maven.execution.MavenExecutionRequest;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.project.MavenProject;

/**
 * The words of Maven: commands that do in this module, and in no other, what they say, typed where this build was typed.
 *
 * <p>They build what the module needs of the same build, because the local repository may have it as it was before, and
 * run no tests, because one that fails would end the build before buto is asked.
 */
final class Maven implements BuildTool {
    /** Sets a property. */
    static final String OPTION = "-D";

    static final String PLUGIN = Release.group() + ":buto-maven-plugin";

    private static final String PREFIX = "buto";

    private final File here = new File("").getAbsoluteFile();
    private final String program = BuildTool.program(here, "mvn", "mvnw");
    private final MavenSession session;
    private final MavenProject project;
    private final boolean makesOthers;
    private final String words;

    /** @param typed properties; those of buto are typed again */
    Maven(MavenSession session, MavenProject project, Map<String, String> typed) {
        this.session = session;
        this.project = project;
        makesOthers = needed().findAny().isPresent();
        words = " -DskipTests" + file() + modules() + profiles() + Typed.again(typed, OPTION);
    }

    /** Whether a module has this plug-in, or says its version for those that have. */
    static boolean isKnownTo(MavenProject module) {
        return module.getPlugin(PLUGIN) != null
                || (module.getPluginManagement() != null
                        && module.getPluginManagement().getPluginsAsMap().containsKey(PLUGIN));
    }

    /**
     * Whether {@code -pl ... -am} builds a module only because those that were named need it.
     *
     * <p>What is typed for the named ones is not meant for it.
     */
    static boolean isMadeForOthers(MavenSession session, MavenProject module) {
        MavenExecutionRequest request = session.getRequest();
        List<String> named = request.getSelectedProjects();
        return MavenExecutionRequest.REACTOR_MAKE_UPSTREAM.equals(request.getMakeBehavior())
                && !named.isEmpty()
                && named.stream().noneMatch(name -> isMeant(name, session, module));
    }

    private static boolean isMeant(String name, MavenSession session, MavenProject module) {
        if (name.contains(":")) {
            String artifact = ":" + module.getArtifactId();
            return name.equals(artifact) || name.equals(module.getGroupId() + artifact);
        }
        File file = new File(session.getExecutionRootDirectory()).toPath().resolve(name).normalize().toFile();
        return file.equals(module.getBasedir()) || file.equals(module.getFile());
    }

    /** The modules of this build that the module needs; but those above it, which Maven finds as files. */
    private Stream<MavenProject> needed() {
        List<MavenProject> above = new ArrayList<>();
        for (MavenProject at = project.getParent(); at != null; at = at.getParent()) {
            above.add(at);
        }
        return session.getProjectDependencyGraph().getUpstreamProjects(project, true).stream()
                .filter(module -> !above.contains(module));
    }

    private String file() {
        File root = new File(session.getExecutionRootDirectory());
        if (root.equals(here)) {
            return "";
        }
        File pom = session.getRequest().getPom();
        return " -f " + BuildTool.quoted(here.toPath().relativize(pom.toPath()).toString());
    }

    private String modules() {
        boolean isAll = session.getProjects().size() == 1
                && project.getBasedir().equals(new File(session.getExecutionRootDirectory()));
        return isAll ? "" : " -pl :" + project.getArtifactId() + (makesOthers ? " -am" : "");
    }

    /** Those of the user's settings are among them, which Maven does not tell apart; to type them again does no harm. */
    private String profiles() {
        List<String> profiles = new ArrayList<>(session.getRequest().getActiveProfiles());
        session.getRequest().getInactiveProfiles().forEach(name -> profiles.add("!" + name));
        return profiles.isEmpty() ? "" : " -P " + BuildTool.quoted(String.join(",", profiles));
    }

    @Override
    public String door() {
        return "maven";
    }

    @Override
    public String program() {
        return program;
    }

    @Override
    public String words() {
        return words;
    }

    @Override
    public File place() {
        return here;
    }

    /** The whole name, if Maven would not find the short one: it asks the first module of what is built. */
    @Override
    public String goals() {
        boolean isKnown = !makesOthers || session.getProjects().stream().allMatch(Maven::isKnownTo);
        return isKnown ? PREFIX : PLUGIN + ":" + Release.version();
    }

    @Override
    public String command(String action, String test) {
        String one = test == null ? "" : " " + BuildTool.quoted("-Dbuto.test=" + test);
        return program + " package " + goals() + ":" + action + one + words;
    }

    @Override
    public String executable() {
        return "<executable> or -Dbuto.executable=";
    }

    @Override
    public String tests() {
        return "<tests>";
    }

    @Override
    public String example() {
        return "<tests><test><name>NAME</name><mainClass>com.acme.Main</mainClass></test></tests>"
                + " in the plugin's <configuration>";
    }
}
