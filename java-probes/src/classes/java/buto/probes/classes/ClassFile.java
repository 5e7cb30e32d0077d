package buto.probes.classes;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;

/** What one class file says, printed with a checksum for each part that can change; java-probes/classes.md has the format. */
final class ClassFile {
    /** Of methods: static, synchronized, native, abstract. What else there is does not change what a method does. */
    private static final int FLAGS = 0x0008 | 0x0020 | 0x0100 | 0x0400;

    private static final int DIGITS = 16;

    private final Pool pool;
    private final List<String> lines = new ArrayList<>();
    private int[] bootstraps = new int[0];
    private String source = "";
    private String annotations = "";
    private int place;

    /** @throws RuntimeException the bytes are no class file, or a damaged one */
    ClassFile(byte[] bytes) {
        pool = new Pool(bytes);
        int header = pool.end;
        String name = pool.name(pool.int2(header + 2));
        StringBuilder parents = new StringBuilder(Plain.type(pool.name(pool.int2(header + 4))));
        int interfaces = pool.int2(header + 6);
        for (int at = 0; at < interfaces; at++) {
            parents.append(' ').append(Plain.type(pool.name(pool.int2(header + 8 + 2 * at))));
        }
        int members = header + 8 + 2 * interfaces;
        // What stands last in the file is needed first.
        place = skipped(skipped(members));
        ofClass();
        lines.add("class\t" + Plain.qualified(name) + "\t" + source + "\t" + digest(parents) + "\t" + annotations);
        place = members;
        for (int left = next2(); left > 0; left--) {
            field();
        }
        for (int left = next2(); left > 0; left--) {
            method();
        }
    }

    /** Returns whether there is more than a name, as in {@code module-info}. */
    void print(PrintWriter out) {
        for (String line : lines) {
            out.print(line + "\n");
        }
    }

    static String digest(CharSequence text) {
        return digest(text.toString().getBytes(StandardCharsets.UTF_8));
    }

    static String digest(byte[] content) {
        try {
            StringBuilder digits = new StringBuilder(DIGITS);
            byte[] whole = MessageDigest.getInstance("SHA-256").digest(content);
            for (int at = 0; at < DIGITS / 2; at++) {
                digits.append(Character.forDigit(whole[at] >> 4 & 15, 16)).append(Character.forDigit(whole[at] & 15, 16));
            }
            return digits.toString();
        } catch (NoSuchAlgorithmException error) {
            throw new AssertionError(error);
        }
    }

    private int next2() {
        place += 2;
        return pool.int2(place - 2);
    }

    /** Returns the place behind a list of fields or methods. */
    private int skipped(int list) {
        int at = list + 2;
        for (int left = pool.int2(list); left > 0; left--) {
            int attributes = pool.int2(at + 6);
            at += 8;
            for (; attributes > 0; attributes--) {
                at += 6 + pool.int4(at + 2);
            }
        }
        return at;
    }

    private void ofClass() {
        StringBuilder found = new StringBuilder();
        for (int left = next2(); left > 0; left--) {
            String name = pool.text(next2());
            int content = place + 4;
            place = content + pool.int4(place);
            if (name.equals("SourceFile")) {
                source = pool.text(pool.int2(content));
            } else if (name.equals("BootstrapMethods")) {
                bootstraps = new int[pool.int2(content)];
                int at = content + 2;
                for (int number = 0; number < bootstraps.length; number++) {
                    bootstraps[number] = at;
                    at += 4 + 2 * pool.int2(at + 2);
                }
            } else {
                annotations(name, content, found);
            }
        }
        annotations = digest(found);
    }

    private void annotations(String attribute, int content, StringBuilder found) {
        boolean isAnnotation = attribute.equals("RuntimeVisibleAnnotations") || attribute.equals("AnnotationDefault")
                || attribute.equals("RuntimeInvisibleAnnotations");
        if (isAnnotation) {
            new Annotations(pool, found).read(attribute, content);
        }
    }

    private void field() {
        int flags = next2();
        String name = pool.text(next2());
        StringBuilder text = new StringBuilder().append(flags & ~0x1000).append(Plain.descriptor(pool.text(next2())));
        for (int left = next2(); left > 0; left--) {
            String attribute = pool.text(next2());
            int content = place + 4;
            place = content + pool.int4(place);
            if (attribute.equals("ConstantValue")) {
                text.append(pool.plain(pool.int2(content)));
            }
            annotations(attribute, content, text);
        }
        lines.add("field\t" + name + "\t" + digest(text));
    }

    private void method() {
        int flags = next2() & FLAGS;
        String name = pool.text(next2());
        StringBuilder text = new StringBuilder().append(flags).append(Plain.descriptor(pool.text(next2())));
        StringBuilder found = new StringBuilder();
        String calls = "";
        String fields = "";
        int line = 0;
        for (int left = next2(); left > 0; left--) {
            String attribute = pool.text(next2());
            int content = place + 4;
            place = content + pool.int4(place);
            if (attribute.equals("Code")) {
                Code code = new Code(pool, content, bootstraps);
                text.append(code.text);
                calls = String.join(" ", code.calls);
                fields = String.join(" ", code.fields);
                line = line(content);
            }
            annotations(attribute, content, found);
        }
        lines.add("method\t" + Plain.member(name) + "\t" + line + "\t" + digest(text) + "\t" + digest(found) + "\t" + calls
                + "\t" + fields);
    }

    /** Returns the smallest line of a method's code; 0 if the lines are not known. */
    private int line(int code) {
        int at = code + 8 + pool.int4(code + 4);
        at += 2 + 8 * pool.int2(at);
        int smallest = 0;
        int left = pool.int2(at);
        at += 2;
        for (; left > 0; left--) {
            if (pool.text(pool.int2(at)).equals("LineNumberTable")) {
                for (int entry = 0; entry < pool.int2(at + 6); entry++) {
                    int line = pool.int2(at + 8 + 4 * entry + 2);
                    smallest = smallest == 0 ? line : Math.min(smallest, line);
                }
            }
            at += 6 + pool.int4(at + 2);
        }
        return smallest;
    }
}
