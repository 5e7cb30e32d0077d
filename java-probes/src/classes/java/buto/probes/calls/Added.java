package buto.probes.calls;

import buto.probes.classes.Pool;
import java.io.DataOutputStream;
import java.io.IOException;

/** The constants that a class file needs to call {@link Counts}, behind those that it has. */
final class Added {
    static final int NUMBER = 12;
    private static final int CLASS = 7;
    private static final int METHOD = 10;
    private static final int NAME_AND_TYPE = 12;
    private static final String COUNTS = "buto/probes/calls/Counts";

    private final int first;

    Added(Pool pool) {
        first = pool.count;
    }

    /** Returns the constant of {@link Counts#entered}. */
    int entered() {
        return first + 5;
    }

    /** Returns the constant of {@link Counts#left}. */
    int left() {
        return first + 8;
    }

    /** Returns the constant of the class of all that is thrown. */
    int throwable() {
        return first + 10;
    }

    /** Returns the constant with the name of a verification table. */
    int frames() {
        return first + 11;
    }

    void write(DataOutputStream out) throws IOException {
        text(out, COUNTS);
        link(out, CLASS, first);
        text(out, "(I)V");
        for (String name : new String[] {"entered", "left"}) {
            int at = name.equals("left") ? first + 6 : first + 3;
            text(out, name);
            link(out, NAME_AND_TYPE, at, first + 2);
            link(out, METHOD, first + 1, at + 1);
        }
        text(out, "java/lang/Throwable");
        link(out, CLASS, first + 9);
        text(out, "StackMapTable");
    }

    private static void text(DataOutputStream out, String text) throws IOException {
        out.writeByte(Pool.UTF8);
        out.writeUTF(text);
    }

    private static void link(DataOutputStream out, int tag, int... constants) throws IOException {
        out.writeByte(tag);
        for (int constant : constants) {
            out.writeShort(constant);
        }
    }
}
