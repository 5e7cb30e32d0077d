package buto.probes.classes;

import java.util.regex.Pattern;

/** Names without what differs between two builds of the same source: packages (libraries are shaded), and numbers of lambdas
 * and of anonymous classes. */
final class Plain {
    private static final Pattern LAMBDA = Pattern.compile("^(lambda\\$.*)\\$\\d+$");
    private static final Pattern NUMBER = Pattern.compile("\\$\\d+");
    private static final Pattern TYPE = Pattern.compile("L([^;]+);");
    private static final Pattern ACCESS = Pattern.compile("^access\\$\\d+$");

    private Plain() {}

    /** Returns the name of a class, as {@code com/acme/Shop$1}, without its package. */
    static String type(String name) {
        if (name.startsWith("[")) {
            return descriptor(name);
        }
        String simple = name.substring(name.lastIndexOf('/') + 1);
        return simple.indexOf('$') < 0 ? simple : NUMBER.matcher(simple).replaceAll("\\$#");
    }

    static String descriptor(String text) {
        if (text.indexOf('L') < 0) {
            return text;
        }
        java.util.regex.Matcher found = TYPE.matcher(text);
        StringBuffer plain = new StringBuffer();
        while (found.find()) {
            found.appendReplacement(plain, "L" + java.util.regex.Matcher.quoteReplacement(type(found.group(1))) + ";");
        }
        return found.appendTail(plain).toString();
    }

    static String member(String name) {
        if (name.startsWith("lambda$")) {
            return LAMBDA.matcher(name).replaceFirst("$1");
        }
        return name.startsWith("access$") ? ACCESS.matcher(name).replaceFirst("access\\$#") : name;
    }

    /** Returns the name of a class with its package, as a profile has it. */
    static String qualified(String name) {
        String dotted = name.replace('/', '.');
        return dotted.indexOf('$') < 0 ? dotted : NUMBER.matcher(dotted).replaceAll("\\$#");
    }
}
