package buto.probes.jfr;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedClassLoader;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;

/** Numbers methods, so that a stack is an array of numbers. */
final class Frames {
    /** A stack, the frame of the event first. */
    static final class Stack {
        static final Stack NONE = new Stack(new int[0], 0);

        final int[] methods;
        /** Line in the topmost method of the user's code; 0 without one. */
        final int line;

        Stack(int[] methods, int line) {
            this.methods = methods;
            this.line = line;
        }
    }

    private static final Set<String> IN_JAVA = Set.of("Interpreted", "JIT compiled", "Inlined", "C1 compiled");
    private static final int MOST_REMEMBERED = 50_000;
    /** The last one loads the classes of a program in one jar, as the JDK does for others. */
    private static final String[] OF_THE_JDK = {
        "java.", "javax.", "jdk.", "sun.", "com.sun.", "org.springframework.boot.loader."
    };

    private final boolean hasNoLoaders;
    private final Map<String, Map<String, Integer>> numbers = new HashMap<>();
    private final List<String> lines = new ArrayList<>();
    private final List<Boolean> isUsers = new ArrayList<>();
    /** The parser gives equal stacks of one chunk as one object. */
    private final Map<RecordedStackTrace, Stack> known = new IdentityHashMap<>();

    Frames(boolean hasNoLoaders) {
        this.hasNoLoaders = hasNoLoaders;
    }

    /** Returns a stack; null for one of Flight Recorder's own. */
    Stack of(RecordedStackTrace trace) {
        if (trace == null) {
            return Stack.NONE;
        }
        if (known.containsKey(trace)) {
            return known.get(trace);
        }
        if (known.size() >= MOST_REMEMBERED) {
            known.clear();
        }
        Stack stack = read(trace.getFrames());
        known.put(trace, stack);
        return stack;
    }

    /** Forgets the parser's objects, each of which holds all of its frames. */
    void forget() {
        known.clear();
    }

    private Stack read(List<RecordedFrame> frames) {
        int[] methods = new int[frames.size()];
        int line = 0;
        for (int at = 0; at < methods.length; at++) {
            RecordedFrame frame = frames.get(at);
            RecordedMethod method = frame.getMethod();
            String owner = method == null || method.getType() == null ? "" : method.getType().getName();
            if (owner.startsWith("jdk.jfr.")) {
                return null;
            }
            methods[at] = number(owner, method, IN_JAVA.contains(frame.getType()));
            if (line == 0 && isUsers.get(methods[at])) {
                line = Math.max(1, frame.getLineNumber());
            }
        }
        return new Stack(methods, line);
    }

    private int number(String owner, RecordedMethod method, boolean isJava) {
        String name = method == null || method.getName() == null ? "(unknown)" : method.getName();
        Map<String, Integer> methods = numbers.computeIfAbsent(owner, any -> new HashMap<>());
        Integer number = methods.get(name);
        if (number == null) {
            number = numberOfNormal(owner, Names.ofClass(owner), Names.ofMethod(name), method, isJava);
            methods.put(name, number);
        }
        return number;
    }

    private int numberOfNormal(String owner, String type, String name, RecordedMethod method, boolean isJava) {
        Map<String, Integer> methods = numbers.computeIfAbsent(type, any -> new HashMap<>());
        Integer number = methods.get(name);
        if (number == null) {
            number = lines.size();
            boolean isUsers = hasNoLoaders
                    ? isJava && !owner.isEmpty() && !isOfJdk(owner)
                    : method != null && isUsers(method.getType(), owner);
            this.isUsers.add(isUsers);
            lines.add((isUsers ? "u" : "p") + "\t" + Names.plain(type) + "\t" + Names.plain(name));
            methods.put(name, number);
        }
        return number;
    }

    /** Returns whether a class is the user's: loaded by neither of the JDK's own loaders, and of another package. */
    static boolean isUsers(RecordedClass type, String name) {
        if (name.isEmpty() || isOfJdk(name)) {
            return false;
        }
        RecordedClassLoader loader = type.getClassLoader();
        return loader != null && !"bootstrap".equals(loader.getName()) && !"platform".equals(loader.getName());
    }

    static boolean isOfJdk(String name) {
        for (String start : OF_THE_JDK) {
            if (name.startsWith(start)) {
                return true;
            }
        }
        return false;
    }

    void print(PrintWriter out) {
        for (int number = 0; number < lines.size(); number++) {
            out.print("frame\t" + number + "\t" + lines.get(number) + "\n");
        }
    }
}
