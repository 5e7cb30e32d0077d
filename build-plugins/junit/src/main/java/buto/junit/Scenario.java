package buto.junit;

import java.lang.annotation.Annotation;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;

/** The measured program: one method of a test class, with the lifecycle methods around it. */
public final class Scenario {
    private Scenario() {}

    /**
     * Runs a scenario and ends the JVM, as test runners do, even if other threads still run.
     *
     * @param arguments name of the test class, name of the method
     */
    public static void main(String[] arguments) {
        try {
            run(Class.forName(arguments[0]), arguments[1]);
        } catch (InvocationTargetException failed) {
            print(failed.getCause());
            System.exit(1);
        } catch (ReflectiveOperationException unusable) {
            unusable.printStackTrace();
            System.exit(1);
        }
        System.exit(0);
    }

    /** Prints what a scenario threw as JUnit shows it: with the places down to its own method. */
    private static void print(Throwable thrown) {
        System.err.println(ScenarioFailure.THREW + thrown);
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
        Object instance = instance(testClass);
        callAll(testClass, instance, BeforeAll.class, HierarchyTraversalMode.TOP_DOWN);
        callAll(testClass, instance, BeforeEach.class, HierarchyTraversalMode.TOP_DOWN);
        call(method(testClass, method), instance);
        callAll(testClass, instance, AfterEach.class, HierarchyTraversalMode.BOTTOM_UP);
        callAll(testClass, instance, AfterAll.class, HierarchyTraversalMode.BOTTOM_UP);
    }

    private static Object instance(Class<?> testClass) throws ReflectiveOperationException {
        try {
            Constructor<?> constructor = testClass.getDeclaredConstructor();
            constructor.setAccessible(true);
            return constructor.newInstance();
        } catch (NoSuchMethodException missing) {
            throw new InstantiationException(
                    testClass.getName() + " has no constructor without parameters; a scenario of buto needs one");
        }
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

    private static void callAll(
            Class<?> testClass, Object instance, Class<? extends Annotation> annotation, HierarchyTraversalMode order)
            throws ReflectiveOperationException {
        List<Method> methods = AnnotationSupport.findAnnotatedMethods(testClass, annotation, order);
        for (Method method : methods) {
            call(method, instance);
        }
    }

    private static void call(Method method, Object instance) throws ReflectiveOperationException {
        method.setAccessible(true);
        method.invoke(instance);
    }
}
