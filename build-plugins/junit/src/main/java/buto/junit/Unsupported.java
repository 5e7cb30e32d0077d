package buto.junit;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestWatcher;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;

/** What a scenario asks of JUnit that the JVM that runs it does not do: its extensions, and their parameters. */
final class Unsupported {
    private static final List<Class<? extends Annotation>> LIFECYCLE =
            Arrays.asList(BeforeAll.class, BeforeEach.class, AfterEach.class, AfterAll.class);
    private static final List<Class<? extends Annotation>> ON_FIELDS =
            Arrays.asList(TempDir.class, RegisterExtension.class, ExtendWith.class);

    /** What an extension can do around a scenario, without entering its JVM. */
    private static final Set<Class<?>> AROUND = new HashSet<>(Arrays.asList(
            Extension.class,
            ExecutionCondition.class,
            TestWatcher.class,
            TestExecutionExceptionHandler.class,
            LifecycleMethodExecutionExceptionHandler.class));

    private static final String NONE_RUNS = ", and no extension of JUnit runs in the JVM of a scenario of buto";

    private Unsupported() {}

    /** @throws ExtensionConfigurationException if a scenario needs what its JVM does not do */
    static void refuse(Class<?> testClass, Method scenario) {
        refuseParameters(scenario, " has parameters, and a scenario of buto has none");
        for (Class<?> at : Scenario.withThoseAround(testClass)) {
            for (Class<? extends Annotation> annotation : LIFECYCLE) {
                for (Method method :
                        AnnotationSupport.findAnnotatedMethods(at, annotation, HierarchyTraversalMode.TOP_DOWN)) {
                    refuseParameters(method, " has parameters" + NONE_RUNS);
                }
            }
            for (Class<? extends Annotation> annotation : ON_FIELDS) {
                for (Field field : AnnotationSupport.findAnnotatedFields(at, annotation)) {
                    throw unsupported(
                            field.getDeclaringClass().getName() + "." + field.getName() + " has @"
                                    + annotation.getSimpleName() + NONE_RUNS,
                            "set it in @BeforeEach");
                }
            }
            refuseExtensions(at, at.getName());
            refuseConstructor(at);
        }
        refuseExtensions(scenario, testClass.getName() + "." + scenario.getName());
    }

    private static void refuseParameters(Method method, String why) {
        if (method.getParameterCount() > 0) {
            throw unsupported(method + why, "let it make what it needs");
        }
    }

    private static void refuseExtensions(AnnotatedElement at, String name) {
        for (ExtendWith with : AnnotationSupport.findRepeatableAnnotations(at, ExtendWith.class)) {
            for (Class<? extends Extension> extension : with.value()) {
                if (extension != ButoExtension.class && !isAround(extension)) {
                    throw unsupported(
                            name + " is extended by " + extension.getSimpleName() + NONE_RUNS,
                            "give the scenario a class of its own, and do in @BeforeEach what it needs");
                }
            }
        }
    }

    /** Whether all that an extension does is done in the JVM of JUnit. */
    private static boolean isAround(Class<?> extension) {
        Set<Class<?>> does = new HashSet<>();
        for (Class<?> at = extension; at != null; at = at.getSuperclass()) {
            addInterfaces(at, does);
        }
        does.removeIf(type -> !Extension.class.isAssignableFrom(type));
        return AROUND.containsAll(does);
    }

    private static void addInterfaces(Class<?> type, Set<Class<?>> all) {
        for (Class<?> implemented : type.getInterfaces()) {
            all.add(implemented);
            addInterfaces(implemented, all);
        }
    }

    private static void refuseConstructor(Class<?> testClass) {
        try {
            Scenario.constructor(testClass);
        } catch (InstantiationException missing) {
            throw unsupported(missing.getMessage(), "let it make what it needs");
        }
    }

    /** In one line: Surefire ends the first one behind the exception's name if a message has several. */
    private static ExtensionConfigurationException unsupported(String what, String advice) {
        return new ExtensionConfigurationException(what + ": " + advice);
    }
}
