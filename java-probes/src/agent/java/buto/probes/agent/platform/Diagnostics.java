package buto.probes.agent.platform;

import java.lang.instrument.Instrumentation;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import javax.management.ObjectName;

/**
 * Runs diagnostic commands of the JVM, as jcmd does, in this process. Uses the class of the JDK that the platform's
 * MBean has behind it; if this JDK does not allow that, the MBean itself, which needs the MBean server.
 */
public final class Diagnostics {
    private static final String PACKAGE = "com.sun.management.internal.";

    /** After so many calls of a method by reflection, a JDK before 18 generates a class for further ones. */
    private static final int MOST_UNGENERATED = 16;

    /** Null for the public way. */
    private final Object commands;

    private final Method run;

    private Diagnostics(Object commands, Method run) {
        this.commands = commands;
        this.run = run;
    }

    /** Never fails: what is missing fails in {@link #run}. */
    public static Diagnostics open(Instrumentation instrumentation) {
        try {
            Opening.openCommands(instrumentation);
            // This class loads the library that has the command's native code.
            Class.forName(PACKAGE + "PlatformMBeanProviderImpl", true, null);
            Class<?> type = Class.forName(PACKAGE + "DiagnosticCommandImpl", true, null);
            Method get = type.getDeclaredMethod("getDiagnosticCommandMBean");
            Method run = type.getDeclaredMethod("executeDiagnosticCommand", String.class);
            get.setAccessible(true);
            run.setAccessible(true);
            Object commands = get.invoke(null);
            if (commands != null) {
                return new Diagnostics(commands, run);
            }
        } catch (LinkageError otherJdk) {
            // As before Java 9.
        } catch (ReflectiveOperationException otherJdk) {
            // This JDK has other names.
        } catch (RuntimeException notOpened) {
            // This JDK does not let us.
        }
        return new Diagnostics(null, null);
    }

    /**
     * Has the JDK generate now what many calls need, so that no class comes in the midst of rounds.
     *
     * @param asked commands that are called, each once: the first call of one takes several times as long as others
     */
    public void prepareOften(String... asked) {
        if (run == null) {
            // The MBean server is not created before the program does so.
            return;
        }
        try {
            for (int call = 0; call < MOST_UNGENERATED; call++) {
                run("VM.version", "vmVersion", "");
            }
            for (String command : asked) {
                run(command, "", "");
            }
        } catch (Exception unknown) {
            // Whoever needs a command will say why it fails.
        } catch (LinkageError unknown) {
            // As above.
        }
    }

    /**
     * Runs a command and returns what it prints.
     *
     * @param command as for jcmd
     * @param operation the operation of the platform's MBean that does the same
     * @param argument its only argument; empty for none
     * @throws Exception if the JVM does not have the command, or it fails
     */
    public String run(String command, String operation, String argument) throws Exception {
        if (run != null) {
            return (String) run.invoke(commands, argument.isEmpty() ? command : command + " " + argument);
        }
        Object[] arguments = {argument.isEmpty() ? new String[0] : new String[] {argument}};
        String[] signature = {String[].class.getName()};
        ObjectName name = new ObjectName("com.sun.management:type=DiagnosticCommand");
        return (String)
                ManagementFactory.getPlatformMBeanServer().invoke(name, operation, arguments, signature);
    }
}
