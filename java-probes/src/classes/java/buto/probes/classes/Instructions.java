package buto.probes.classes;

/** The instructions of one method: how long each is, and which of them lead to another. */
public final class Instructions {
    public static final int INVOKESPECIAL = 183;
    public static final int NEW = 187;
    public static final int TABLESWITCH = 170;
    static final int LDC = 18;
    static final int LDC2_W = 20;
    static final int JSR = 168;
    static final int GETSTATIC = 178;
    static final int PUTFIELD = 181;
    static final int INVOKEVIRTUAL = 182;
    static final int INVOKESTATIC = 184;
    static final int INVOKEINTERFACE = 185;
    static final int INVOKEDYNAMIC = 186;
    static final int ANEWARRAY = 189;
    static final int CHECKCAST = 192;
    static final int INSTANCEOF = 193;
    static final int WIDE = 196;
    static final int MULTIANEWARRAY = 197;
    static final int GOTO_W = 200;
    private static final int BIPUSH = 16;
    private static final int SIPUSH = 17;
    private static final int IINC = 132;
    private static final int IFEQ = 153;
    private static final int RET = 169;
    private static final int LOOKUPSWITCH = 171;
    private static final int IRETURN = 172;
    private static final int RETURN = 177;
    private static final int NEWARRAY = 188;
    private static final int IFNULL = 198;
    private static final int IFNONNULL = 199;
    private static final int JSR_W = 201;

    /** Bytes of all instructions. */
    public final int length;
    private final Pool pool;
    private final int start;

    /** @param place of the content of the attribute with the code */
    public Instructions(Pool pool, int place) {
        this.pool = pool;
        length = pool.int4(place + 4);
        start = place + 8;
    }

    /** Returns the place in the class file of what is at a place in the code. */
    public int place(int at) {
        return start + at;
    }

    public int code(int at) {
        return pool.int1(start + at);
    }

    public boolean isReturn(int at) {
        return code(at) >= IRETURN && code(at) <= RETURN;
    }

    /** Returns whether two bytes after the instruction's first one lead to another instruction. */
    public boolean isJump(int at) {
        int code = code(at);
        return code >= IFEQ && code <= JSR || code == IFNULL || code == IFNONNULL;
    }

    /** Returns whether it is such a jump with four bytes. */
    public boolean isFarJump(int at) {
        return code(at) == GOTO_W || code(at) == JSR_W;
    }

    public boolean isSwitch(int at) {
        return code(at) == TABLESWITCH || code(at) == LOOKUPSWITCH;
    }

    /** Returns how many bytes of no meaning follow the first one of a switch. */
    public static int padding(int at) {
        return 3 - (at & 3);
    }

    /** Returns how many branches a switch has besides its default. */
    public int branches(int at) {
        int table = start + at + 1 + padding(at);
        int n = code(at) == TABLESWITCH ? pool.int4(table + 8) - pool.int4(table + 4) + 1 : pool.int4(table + 4);
        if (n < 0 || n > length) {
            throw new IllegalArgumentException("it has a damaged switch");
        }
        return n;
    }

    /** Returns the place behind an instruction. */
    public int next(int at) {
        int code = code(at);
        if (code == TABLESWITCH) {
            return at + 1 + padding(at) + 12 + 4 * branches(at);
        }
        if (code == LOOKUPSWITCH) {
            return at + 1 + padding(at) + 8 + 8 * branches(at);
        }
        return at + size(at, code);
    }

    private int size(int at, int code) {
        if (code == WIDE) {
            return code(at + 1) == IINC ? 6 : 4;
        }
        if (code == BIPUSH || code == LDC || code > LDC2_W && code <= 25 || code >= 54 && code <= 58 || code == RET
                || code == NEWARRAY) {
            return 2;
        }
        if (code == INVOKEINTERFACE || code == INVOKEDYNAMIC || code == GOTO_W || code == JSR_W) {
            return 5;
        }
        if (code == MULTIANEWARRAY) {
            return 4;
        }
        boolean isLong = code == SIPUSH || code == LDC + 1 || code == LDC2_W || code == IINC || isJump(at)
                || code >= GETSTATIC && code <= INVOKESTATIC || code == NEW || code == ANEWARRAY || code == CHECKCAST
                || code == INSTANCEOF;
        return isLong ? 3 : 1;
    }
}
