package buto.faults.agent;

import buto.faults.Fault;
import buto.faults.Faults;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.instrument.Instrumentation;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;
import javax.management.ObjectName;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import net.bytebuddy.matcher.ElementMatchers;

/** Puts the calls of faults into the methods, and registers the switches. */
final class Weaving {
    private Weaving() {
    }

    /** The number of the fault that a method has. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.PARAMETER)
    @interface Number {
    }

    static void weave(List<Specification> specifications, Instrumentation instrumentation) throws Exception {
        Fault[] faults = new Fault[specifications.size()];
        AgentBuilder builder = new AgentBuilder.Default().with(AgentBuilder.RedefinitionStrategy.RETRANSFORMATION);
        for (int number = 0; number < faults.length; number++) {
            Specification typed = specifications.get(number);
            Fault.Kind kind = Fault.Kind.valueOf(typed.kind.toUpperCase(Locale.ROOT));
            faults[number] = new Fault(kind, typed.amount, typed.active);
            ManagementFactory.getPlatformMBeanServer()
                .registerMBean(faults[number], new ObjectName("buto.faults:name=" + typed.name));
            Advice advice = Advice.withCustomMapping().bind(Number.class, number).to(codeOf(kind));
            builder = builder.type(ElementMatchers.named(typed.className))
                .transform((type, description, loader, module, domain) ->
                    type.visit(advice.on(ElementMatchers.named(typed.method))));
        }
        Faults.set(faults);
        builder.installOn(instrumentation);
    }

    private static Class<?> codeOf(Fault.Kind kind) {
        switch (kind) {
            case REPEAT:
                return Repeated.class;
            case LEAK:
                return Leaked.class;
            default:
                return Struck.class;
        }
    }

    /** What is woven into a method that is not run again. */
    static final class Struck {
        private Struck() {
        }

        @Advice.OnMethodEnter
        static long enter(@Number int number) {
            return Faults.enter(number);
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class)
        static void exit(@Number int number, @Advice.Enter long entered) {
            Faults.leave(number, entered);
        }
    }

    /** What is woven into a method that is repeated. */
    static final class Repeated {
        private Repeated() {
        }

        @Advice.OnMethodExit(repeatOn = Advice.OnNonDefaultValue.class)
        static boolean exit(@Number int number, @Advice.Local("repeated") int repeated) {
            return Faults.repeats(number, repeated++);
        }
    }

    /** What is woven into a method whose results are kept. */
    static final class Leaked {
        private Leaked() {
        }

        @Advice.OnMethodExit(repeatOn = Advice.OnNonDefaultValue.class)
        static boolean exit(
                @Number int number,
                @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object returned,
                @Advice.Local("repeated") int repeated) {
            return Faults.leaks(number, repeated++, returned);
        }
    }
}
