package buto.probes.classes;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** The constants of a class file, and readers of its bytes by place. */
public final class Pool {
    public static final int UTF8 = 1;
    private static final int INT = 3;
    private static final int FLOAT = 4;
    private static final int LONG = 5;
    private static final int DOUBLE = 6;
    private static final int CLASS = 7;
    private static final int STRING = 8;
    private static final int METHOD_HANDLE = 15;
    private static final int METHOD_TYPE = 16;
    private static final int DYNAMIC = 17;
    private static final int INVOKE_DYNAMIC = 18;
    private static final int MODULE = 19;
    private static final int PACKAGE = 20;
    private static final int FIRST = 10;

    public final byte[] bytes;
    public final int count;
    /** The place behind the last constant. */
    public final int end;
    private final int[] places;

    /** @throws IllegalArgumentException the bytes are no class file */
    public Pool(byte[] bytes) {
        this.bytes = bytes;
        if (bytes.length < FIRST || int4(0) != 0xCAFEBABE) {
            throw new IllegalArgumentException("it is no class file");
        }
        count = int2(FIRST - 2);
        places = new int[count];
        int place = FIRST;
        for (int at = 1; at < count; at++) {
            places[at] = place;
            int tag = int1(place);
            if (tag == LONG || tag == DOUBLE) {
                at++;
            }
            place += size(tag, place);
        }
        end = place;
    }

    private int size(int tag, int place) {
        switch (tag) {
            case UTF8: return 3 + int2(place + 1);
            case LONG: case DOUBLE: return 9;
            case CLASS: case STRING: case METHOD_TYPE: case MODULE: case PACKAGE: return 3;
            case METHOD_HANDLE: return 4;
            default:
                if (tag < INT || tag > INVOKE_DYNAMIC) {
                    throw new IllegalArgumentException("it has an unknown constant " + tag);
                }
                return 5;
        }
    }

    public int int1(int place) {
        return bytes[place] & 0xff;
    }

    public int int2(int place) {
        return (bytes[place] & 0xff) << 8 | bytes[place + 1] & 0xff;
    }

    public int int4(int place) {
        return int2(place) << 16 | int2(place + 2);
    }

    public int tag(int constant) {
        return int1(places[constant]);
    }

    /** Returns the text of a UTF-8 constant; empty for 0. */
    public String text(int constant) {
        if (constant == 0) {
            return "";
        }
        int place = places[constant] + 1;
        try {
            return DataInputStream.readUTF(new DataInputStream(
                    new java.io.ByteArrayInputStream(bytes, place, 2 + int2(place))));
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /** Returns the text that a class, string, type or module constant names; empty for 0. */
    public String name(int constant) {
        return constant == 0 ? "" : text(int2(places[constant] + 1));
    }

    /** Returns the class of a field or method constant. */
    String owner(int constant) {
        return name(int2(places[constant] + 1));
    }

    /** Returns the name of a field or method constant. */
    public String memberName(int constant) {
        return text(int2(nameAndType(constant) + 1));
    }

    String memberType(int constant) {
        return text(int2(nameAndType(constant) + 3));
    }

    private int nameAndType(int constant) {
        return places[int2(places[constant] + 3)];
    }

    /** Returns the number of the bootstrap method of a dynamic constant. */
    int bootstrap(int constant) {
        return int2(places[constant] + 1);
    }

    /** Returns the field or method constant of a method handle; 0 if the constant is none. */
    int handled(int constant) {
        return tag(constant) == METHOD_HANDLE ? int2(places[constant] + 2) : 0;
    }

    /** Returns a constant as text that does not depend on its number or on the packages of classes. */
    String plain(int constant) {
        int place = places[constant] + 1;
        switch (tag(constant)) {
            case INT: case FLOAT: return "n" + int4(place);
            case LONG: case DOUBLE: return "n" + int4(place) + "," + int4(place + 4);
            case CLASS: return Plain.type(name(constant));
            case STRING: return "\"" + name(constant) + "\"";
            case METHOD_TYPE: return Plain.descriptor(name(constant));
            case METHOD_HANDLE: return int1(place) + plain(int2(place + 1));
            case DYNAMIC: case INVOKE_DYNAMIC:
                return Plain.member(memberName(constant)) + Plain.descriptor(memberType(constant));
            case UTF8: return text(constant);
            default:
                return Plain.type(owner(constant)) + "." + Plain.member(memberName(constant))
                        + Plain.descriptor(memberType(constant));
        }
    }
}
