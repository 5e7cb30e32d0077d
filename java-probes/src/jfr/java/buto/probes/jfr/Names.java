package buto.probes.jfr;

import java.util.regex.Pattern;

/** Makes names that a JVM or a library generates the same in every launch. */
final class Names {
    private static final int LONGEST = 300;

    private static final Pattern ADDRESS = Pattern.compile("[+/]0x[0-9a-fA-F]+.*");
    private static final Pattern LAMBDA_CLASS = Pattern.compile("\\$\\$Lambda.*");
    private static final Pattern LAMBDA_METHOD = Pattern.compile("^(lambda\\$.*)\\$\\d+$");
    private static final Pattern NUMBERED =
            Pattern.compile("(\\$Proxy|(?:Method|Constructor)Accessor|CGLIB\\$\\$|\\$ByteBuddy\\$|\\$HibernateProxy\\$)\\w+$");

    private Names() {}

    static String ofClass(String name) {
        String same = name;
        if (name.indexOf('$') >= 0 || name.indexOf("0x") >= 0 || name.indexOf("Accessor") >= 0) {
            same = ADDRESS.matcher(same).replaceFirst("");
            same = LAMBDA_CLASS.matcher(same).replaceFirst("\\$\\$Lambda");
            same = NUMBERED.matcher(same).replaceFirst("$1");
        }
        return cut(same);
    }

    static String ofMethod(String name) {
        return cut(name.startsWith("lambda$") ? LAMBDA_METHOD.matcher(name).replaceFirst("$1") : name);
    }

    /** Returns the name of an array's or another class as a source file has it: {@code byte[]}. */
    static String ofType(String name) {
        int dimensions = 0;
        while (dimensions < name.length() && name.charAt(dimensions) == '[') {
            dimensions++;
        }
        if (dimensions == 0) {
            return ofClass(name);
        }
        String element = name.substring(dimensions);
        if (element.startsWith("L") && element.endsWith(";")) {
            element = element.substring(1, element.length() - 1).replace('/', '.');
        } else if (element.length() == 1) {
            element = primitive(element.charAt(0));
        }
        return ofClass(element) + "[]".repeat(Math.min(dimensions, 8));
    }

    /** Returns text without the characters that divide the output. */
    static String plain(String text) {
        StringBuilder plain = new StringBuilder(text.length());
        for (int at = 0; at < text.length(); at++) {
            char one = text.charAt(at);
            plain.append(one == '\\' ? "\\\\" : one == '\t' ? "\\t" : one == '\n' ? "\\n" : one == '\r' ? "\\r" : String.valueOf(one));
        }
        return plain.toString();
    }

    private static String primitive(char letter) {
        switch (letter) {
            case 'B': return "byte";
            case 'C': return "char";
            case 'D': return "double";
            case 'F': return "float";
            case 'I': return "int";
            case 'J': return "long";
            case 'S': return "short";
            case 'Z': return "boolean";
            default: return String.valueOf(letter);
        }
    }

    private static String cut(String name) {
        return name.length() <= LONGEST ? name : name.substring(0, LONGEST);
    }
}
