package buto.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The scenario runs in JVMs of its own, and what it uses is checked against its oracle.
 *
 * <p>On a method, that method is the scenario; on a class, each of its {@code @Test} methods is one. A scenario runs
 * with the class path of the tests and with the methods annotated by {@code @BeforeAll}, {@code @BeforeEach},
 * {@code @AfterEach} and {@code @AfterAll} around it. It takes no parameters, and an exception fails it.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@Test
@ExtendWith(ButoExtension.class)
public @interface ButoTest {
    /** Options of the measured JVM, for example {@code -Xmx64m}. */
    String[] jvmArguments() default {};

    /** Number of runs that train; 0 leaves that to buto. */
    int runs() default 0;

    /** Number of runs that are checked; 0 for one, and more to confirm a failure. */
    int checkRuns() default 0;

    /** Share of the checks of an unchanged program that may fail by chance; empty leaves that to buto. */
    String alpha() default "";
}
