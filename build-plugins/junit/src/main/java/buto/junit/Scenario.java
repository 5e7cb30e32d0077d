package buto.junit;

import java.lang.annotation.Annotation;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;

/** The measured program: one method of a test class, with the lifecycle methods around it. */
public final class Scenario {
    /** The exit code after what is no success. */
    static final int FAILED = 1;

    private Scenario() {}

    /**
     * Runs a scenario and ends the JVM, as test runners do, even if other threads still run.
     *
     * @param arguments name of the test class, name of the method
     */
    public static void main(String[] arguments) {
        Thread early = new EarlyExit(arguments[0].replace('$', '.') + "." + arguments[1]);
        Runtime.getRuntime().addShutdownHook(early);
        int code = 0;
        try {
            run(Class.forName(arguments[0]), arguments[1]);
        } catch (InvocationTargetException failed) {
            print(failed.getCause());
            code = FAILED;
        } catch (ReflectiveOperationException unusable) {
            print(unusable);
            code = FAILED;
        }
        try {
            Runtime.getRuntime().removeShutdownHook(early);
        } catch (IllegalStateException ending) {
            // Another thread has called System.exit, and its hooks decide.
            return;
        }
        System.exit(code);
    }

    /** Prints what a scenario threw as JUnit shows it: with the places down to its own method. */
    static void print(Throwable thrown) {
        System.err.println(ScenarioFailure.line(thrown));
        for (StackTraceElement place : thrown.getStackTrace()) {
            if (place.getClassName().startsWith("jdk.internal.reflect.")
                    || place.getClassName().startsWith("sun.reflect.")
                    || place.getClassName().startsWith("java.lang.reflect.")) {
                break;
            }
            System.err.println("\tat " + place);
        }
        if (thrown.getCause() != null) {
            System.err.println("Caused by: " + thrown.getCause());
        }
    }

    private static void run(Class<?> testClass, String method) throws ReflectiveOperationException {
        List<Class<?>> classes = withThoseAround(testClass);
        for (Class<?> at : classes) {
            callAll(at, null, BeforeAll.class, HierarchyTraversalMode.TOP_DOWN);
        }
        List<Object> instances = new ArrayList<>();
        for (Class<?> at : classes) {
            instances.add(instance(at, instances.isEmpty() ? null : instances.get(instances.size() - 1)));
        }
        for (Object instance : instances) {
            callAll(instance.getClass(), instance, BeforeAll.class, HierarchyTraversalMode.TOP_DOWN);
        }
        for (Object instance : instances) {
            callAll(instance.getClass(), instance, BeforeEach.class, HierarchyTraversalMode.TOP_DOWN);
        }
        call(method(testClass, method), instances.get(instances.size() - 1));
        Collections.reverse(instances);
        Collections.reverse(classes);
        for (Object instance : instances) {
            callAll(instance.getClass(), instance, AfterEach.class, HierarchyTraversalMode.BOTTOM_UP);
        }
        for (Object instance : instances) {
            callAll(instance.getClass(), instance, AfterAll.class, HierarchyTraversalMode.BOTTOM_UP);
        }
        for (Class<?> at : classes) {
            callAll(at, null, AfterAll.class, HierarchyTraversalMode.BOTTOM_UP);
        }
    }

    /** Returns a test class behind those of which it needs an instance, as {@code @Nested} classes do. */
    static List<Class<?>> withThoseAround(Class<?> testClass) {
        List<Class<?>> classes = new ArrayList<>();
        Class<?> at = testClass;
        while (at != null) {
            classes.add(0, at);
            at = Modifier.isStatic(at.getModifiers()) ? null : at.getDeclaringClass();
        }
        return classes;
    }

    /** Returns the constructor with which a test class is created; it takes nothing but the instance around it. */
    static Constructor<?> constructor(Class<?> testClass) throws InstantiationException {
        boolean isInner = withThoseAround(testClass).size() > 1;
        try {
            return isInner
                    ? testClass.getDeclaredConstructor(testClass.getDeclaringClass())
                    : testClass.getDeclaredConstructor();
        } catch (NoSuchMethodException missing) {
            throw new InstantiationException(
                    testClass.getName() + " has no constructor without parameters; a scenario of buto needs one");
        }
    }

    private static Object instance(Class<?> testClass, Object around) throws ReflectiveOperationException {
        Constructor<?> constructor = constructor(testClass);
        constructor.setAccessible(true);
        return around == null ? constructor.newInstance() : constructor.newInstance(around);
    }

    private static Method method(Class<?> testClass, String name) throws NoSuchMethodException {
        for (Class<?> at = testClass; at != null; at = at.getSuperclass()) {
            for (Method candidate : at.getDeclaredMethods()) {
                if (candidate.getName().equals(name) && candidate.getParameterCount() == 0) {
                    return candidate;
                }
            }
        }
        throw new NoSuchMethodException(testClass.getName() + "." + name + "()");
    }

    /** Calls the methods of a class for an instance, or else, before there is one and after it, the static ones. */
    private static void callAll(
            Class<?> testClass, Object instance, Class<? extends Annotation> annotation, HierarchyTraversalMode order)
            throws ReflectiveOperationException {
        List<Method> methods = AnnotationSupport.findAnnotatedMethods(testClass, annotation, order);
        for (Method method : methods) {
            if (Modifier.isStatic(method.getModifiers()) == (instance == null)) {
                call(method, instance);
            }
        }
    }

    private static void call(Method method, Object instance) throws ReflectiveOperationException {
        method.setAccessible(true);
        method.invoke(instance);
    }
}
