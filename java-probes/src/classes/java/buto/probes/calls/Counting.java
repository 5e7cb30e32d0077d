package buto.probes.calls;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Makes the classes of counted methods call {@link Counts} as they are loaded. */
final class Counting implements ClassFileTransformer {
    private static final Pattern NUMBER = Pattern.compile("\\$\\d+");
    private static final Pattern LAMBDA = Pattern.compile("^(lambda\\$.*)\\$\\d+$");

    /** By class and method, its number. */
    private final Map<String, Map<String, Integer>> wanted = new HashMap<>();

    Counting(List<String> methods) {
        for (int number = 0; number < methods.size(); number++) {
            String name = methods.get(number);
            int dot = name.lastIndexOf('.');
            String owner = name.substring(0, Math.max(0, dot)).replace('.', '/');
            wanted.computeIfAbsent(owner, any -> new HashMap<>()).put(name.substring(dot + 1), number);
        }
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
        try {
            Map<String, Integer> methods = name == null ? null : wanted.get(NUMBER.matcher(name).replaceAll("\\$#"));
            if (methods == null || !sees(loader)) {
                return null;
            }
            return Inserted.into(bytes, method -> methods.get(LAMBDA.matcher(method).replaceFirst("$1")));
        } catch (RuntimeException | LinkageError error) {
            // The class is loaded as it is.
            return null;
        }
    }

    /** Returns whether classes of a loader find {@link Counts}: some loaders ask the JDK for its own packages only. */
    private static boolean sees(ClassLoader loader) {
        try {
            return loader != null && Class.forName(Counts.class.getName(), false, loader) == Counts.class;
        } catch (ClassNotFoundException error) {
            return false;
        }
    }
}
