package buto.junit;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Optional;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** Has a scenario measured by buto instead of running it here; its lifecycle methods run in the measured JVM. */
public final class ButoExtension implements InvocationInterceptor, ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return new Options(context).isOn("skip")
                ? ConditionEvaluationResult.disabled("buto is skipped")
                : ConditionEvaluationResult.enabled("buto is not skipped");
    }

    @Override
    public void interceptTestMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        invocation.skip();
        Method scenario = method.getExecutable();
        Unsupported.refuse(context.getRequiredTestClass(), scenario);
        ButoTest wanted = annotation(context, ButoTest.class)
                .orElseThrow(() -> new ExtensionConfigurationException(context.getDisplayName()
                        + " is extended by ButoExtension and has no @ButoTest: annotate it"));
        Integer rounds = annotation(context, NeverGrows.class).map(NeverGrows::rounds).orElse(null);
        new Measurement(wanted, rounds, context).carryOut(context.getRequiredTestClass(), scenario);
    }

    /** Returns the annotation of the scenario, or else that of the nearest class around it. */
    private static <A extends Annotation> Optional<A> annotation(ExtensionContext context, Class<A> type) {
        for (ExtensionContext at = context; at != null; at = at.getParent().orElse(null)) {
            Optional<A> found = AnnotationSupport.findAnnotation(at.getElement(), type);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context) {
        throw onlyTests(invocation, method);
    }

    @Override
    public <T> T interceptTestFactoryMethod(
            Invocation<T> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context) {
        throw onlyTests(invocation, method);
    }

    private static ExtensionConfigurationException onlyTests(
            Invocation<?> invocation, ReflectiveInvocationContext<Method> method) {
        invocation.skip();
        return new ExtensionConfigurationException(
                method.getExecutable() + " cannot be a scenario of buto: only @Test and @ButoTest methods can");
    }

    @Override
    public void interceptBeforeAllMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context) {
        invocation.skip();
    }

    @Override
    public void interceptBeforeEachMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context) {
        invocation.skip();
    }

    @Override
    public void interceptAfterEachMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context) {
        invocation.skip();
    }

    @Override
    public void interceptAfterAllMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> method, ExtensionContext context) {
        invocation.skip();
    }
}
