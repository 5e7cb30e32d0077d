package buto.gradle;

import buto.launcher.BuildTool;
import buto.launcher.ButoException;
import buto.launcher.Release;
import buto.launcher.Settings;
import buto.launcher.Typed;
import java.io.File;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.gradle.api.GradleException;
import org.gradle.api.Plugin;
import org.gradle.api.Project;
import org.gradle.api.artifacts.ConfigurationContainer;
import org.gradle.api.file.Directory;
import org.gradle.api.file.FileCollection;
import org.gradle.api.file.ProjectLayout;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.SourceSet;
import org.gradle.api.tasks.SourceSetContainer;
import org.gradle.language.base.plugins.LifecycleBasePlugin;

/** Adds {@code buto { ... }} and the tasks butoTrain, butoCheck, butoAccept, butoReport and butoWhy. */
public class ButoPlugin implements Plugin<Project> {
    private static final String GROUP = "verification";
    private static final String OPTION = "-P";

    /** Settings of Gradle alone. */
    private static final List<String> OTHERS = Arrays.asList("test", "ignoreFailures");

    @Override
    public void apply(Project project) {
        ButoExtension extension =
                project.getExtensions().create("buto", ButoExtension.class, project.container(ButoTest.class));
        preset(extension, project);
        refuseUnknown(project.getGradle().getStartParameter().getProjectProperties());
        add(project, extension, "butoTrain", ButoTrain.class, "Trains the oracles of the programs; commit them.");
        add(project, extension, "butoAccept", ButoAccept.class, "Trains again, and reports how the oracles differ.");
        add(project, extension, "butoReport", ButoReport.class, "Writes the reports of the last check again.");
        add(project, extension, "butoWhy", ButoWhy.class, "Names the methods that use more than in the profile.");
        ButoCheck check = add(
                project, extension, "butoCheck", ButoCheck.class, "Checks the programs against their oracles.");
        project.afterEvaluate(evaluated -> {
            if (ignoresFailures(extension, project)) {
                check.setIgnoreFailures(true);
            }
        });
        // Evaluated late, when the tasks of a build are gathered: the build script runs after this.
        Callable<Object> wanted = () -> extension.isRunWithCheck() ? check : Collections.emptyList();
        project.getPlugins().withType(LifecycleBasePlugin.class, lifecycle -> project.getTasks()
                .getByName(LifecycleBasePlugin.CHECK_TASK_NAME)
                .dependsOn(wanted));
    }

    private static void preset(ButoExtension extension, Project project) {
        extension.setJava(new File(System.getProperty("java.home"), "bin/java"));
        extension.setOracles(project.file("src/test/buto"));
        extension.setStore(new File(project.getRootDir(), ".buto"));
    }

    /** Returns what the build script says, and in its place what is typed or in {@code gradle.properties}. */
    private static Settings settings(ButoExtension extension, Project project) {
        if (extension.getReports() == null) {
            extension.setReports(new File(buildDirectory(project), "reports/buto"));
        }
        Settings settings = extension.resolve(project::file);
        try {
            Typed.apply(settings, name -> property(project, name), project::file);
        } catch (ButoException wrong) {
            throw new GradleException(wrong.getMessage(), wrong);
        }
        return settings;
    }

    private static boolean ignoresFailures(ButoExtension extension, Project project) {
        String name = "ignoreFailures";
        String text = property(project, name);
        try {
            return text == null ? extension.isIgnoreFailures() : Typed.isOn(name, text);
        } catch (ButoException wrong) {
            throw new GradleException(wrong.getMessage(), wrong);
        }
    }

    private static String property(Project project, String name) {
        Object value = project.findProperty(Typed.PREFIX + name);
        return value == null ? null : value.toString();
    }

    private static void refuseUnknown(Map<String, String> typed) {
        try {
            Typed.refuseUnknown(typed.keySet(), OTHERS, OPTION);
        } catch (ButoException wrong) {
            throw new GradleException(wrong.getMessage(), wrong);
        }
    }

    private static <T extends ButoTask> T add(
            Project project, ButoExtension extension, String name, Class<T> type, String description) {
        T task = project.getTasks().create(name, type);
        task.setGroup(GROUP);
        task.setDescription(description);
        project.afterEvaluate(evaluated -> {
            Settings settings = settings(extension, project);
            task.configure(
                    settings,
                    extension.getTests().stream()
                            .map(test -> test.resolve(project::file))
                            .collect(Collectors.toList()),
                    settings.getExecutable() == null ? runtime(project) : null,
                    project.getProjectDir(),
                    property(project, "test"),
                    BuildTool.program(typedIn(project), "gradle", "gradlew"),
                    typed(project),
                    typedIn(project));
            if (project.getPlugins().hasPlugin("java-base")) {
                SourceSetContainer sources = sourceSets(project);
                task.setClasspaths(
                        classpath(sources, SourceSet.MAIN_SOURCE_SET_NAME),
                        classpath(sources, SourceSet.TEST_SOURCE_SET_NAME));
            }
        });
        return task;
    }

    /**
     * The archive of buto and its own Python, fetched when a task asks for it, from where this plugin is from: the
     * repositories of the build script, its own or that of a project above it, or else those of the project.
     */
    private static FileCollection runtime(Project project) {
        String machine;
        try {
            machine = Release.machine();
        } catch (ButoException none) {
            return null;
        }
        Project above = project;
        while (above != null && above.getBuildscript().getRepositories().isEmpty()) {
            above = above.getParent();
        }
        ConfigurationContainer configurations =
                above == null ? project.getConfigurations() : above.getBuildscript().getConfigurations();
        return configurations.detachedConfiguration(project.getDependencies()
                .create(String.join(":", Release.group(), Release.RUNTIME, Release.version(), machine)
                        + "@" + Release.PACKED));
    }

    /** What was typed for this build and which project this is, for the advice in messages. */
    private static String typed(Project project) {
        String path = typedIn(project).toPath().relativize(project.getProjectDir().toPath()).toString();
        return (path.isEmpty() ? "" : " " + BuildTool.quoted("--project-dir=" + path))
                + Typed.again(project.getGradle().getStartParameter().getProjectProperties(), OPTION);
    }

    /** Returns the directory in which Gradle was started. */
    private static File typedIn(Project project) {
        return project.getGradle().getStartParameter().getCurrentDir();
    }

    /** A convention in old Gradle, an extension in new Gradle: both offer it as a property of the project. */
    private static SourceSetContainer sourceSets(Project project) {
        return (SourceSetContainer) project.property("sourceSets");
    }

    private static FileCollection classpath(SourceSetContainer sources, String name) {
        SourceSet found = sources.findByName(name);
        return found == null ? null : found.getRuntimeClasspath();
    }

    /** Uses reflection: the method has another type in old Gradle, and getBuildDir is deprecated in new Gradle. */
    private static File buildDirectory(Project project) {
        try {
            Object provider = ProjectLayout.class.getMethod("getBuildDirectory").invoke(project.getLayout());
            return ((Directory) ((Provider<?>) provider).get()).getAsFile();
        } catch (ReflectiveOperationException unknown) {
            throw new GradleException("this version of Gradle does not say where it builds", unknown);
        }
    }
}
