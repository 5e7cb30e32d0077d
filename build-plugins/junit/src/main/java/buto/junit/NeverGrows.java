package buto.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A check of this scenario also fails if anything grows in every round of its work: live objects, threads, files.
 *
 * <p>Beside {@link ButoTest}, on the method or on its class. A round is what the scenario marks, or else an equal share
 * of what it allocates. The check launches the scenario once more, to count it.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
public @interface NeverGrows {
    /** Number of rounds that are counted, at least 8; a third of them is warm-up. */
    int rounds() default 12;
}
