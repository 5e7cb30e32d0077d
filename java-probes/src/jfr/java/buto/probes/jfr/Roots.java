package buto.probes.jfr;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedObject;

/** The path from an object that was kept to the root that keeps it. */
final class Roots {
    private static final int LONGEST = 4096;
    private static final int MOST_STEPS = 12;
    private static final String MIRROR = "Class Name: ";

    /** The user's field nearest to the object, as {@code com.acme.Cache.entries}; else the last field; may be empty. */
    final String holder;
    /** The steps from the object to the root; equal neighbours, as of a linked list, are one. */
    final String path;

    private Roots(String holder, String path) {
        this.holder = holder;
        this.path = path;
    }

    static Roots of(RecordedObject object, RecordedObject root) {
        List<String> steps = new ArrayList<>();
        String users = "";
        String last = "";
        RecordedObject at = object;
        for (int length = 0; at != null && length < LONGEST; length++) {
            RecordedObject reference = at.getValue("referrer");
            RecordedObject owner = reference == null ? null : reference.getValue("object");
            if (owner == null) {
                break;
            }
            RecordedObject field = reference.getValue("field");
            String step = field == null ? type(owner) + "[]" : ownerOf(field, owner) + "." + field.getString("name");
            if (field != null) {
                last = step;
                if (users.isEmpty() && isUsers(field, owner)) {
                    users = step;
                }
            }
            if (steps.size() < MOST_STEPS && (steps.isEmpty() || !steps.get(steps.size() - 1).equals(step))) {
                steps.add(step);
            }
            at = owner;
        }
        if (root != null && root.getString("system") != null) {
            steps.add(root.getString("system"));
        }
        return new Roots(users.isEmpty() ? last : users, String.join(" < ", steps));
    }

    private static String ownerOf(RecordedObject field, RecordedObject owner) {
        return Modifier.isStatic(field.getShort("modifiers")) ? mirrored(owner) : type(owner);
    }

    private static boolean isUsers(RecordedObject field, RecordedObject owner) {
        if (Modifier.isStatic(field.getShort("modifiers"))) {
            return !Frames.isOfJdk(mirrored(owner));
        }
        RecordedClass type = owner.getValue("type");
        return type != null && Frames.isUsers(type, type.getName());
    }

    /** Returns the class whose static field it is: the owner of one is the object of that class. */
    private static String mirrored(RecordedObject owner) {
        String description = owner.getString("description");
        boolean isMirror = description != null && description.startsWith(MIRROR);
        return isMirror ? Names.ofClass(description.substring(MIRROR.length())) : type(owner);
    }

    private static String type(RecordedObject object) {
        RecordedClass type = object.getValue("type");
        return type == null ? "(unknown)" : Names.ofType(type.getName());
    }
}
