package buto.probes.classes;

import java.util.Set;
import java.util.TreeSet;

/** The instructions of one method as text in which constants are resolved, and jumps lead to numbers of instructions. */
final class Code {
    private static final int BIPUSH = 16;
    private static final int SIPUSH = 17;
    private static final int LDC = 18;
    private static final int LDC2_W = 20;
    private static final int IINC = 132;
    private static final int IFEQ = 153;
    private static final int JSR = 168;
    private static final int RET = 169;
    private static final int TABLESWITCH = 170;
    private static final int LOOKUPSWITCH = 171;
    private static final int GETSTATIC = 178;
    private static final int PUTFIELD = 181;
    private static final int INVOKEVIRTUAL = 182;
    private static final int INVOKESTATIC = 184;
    private static final int INVOKEINTERFACE = 185;
    private static final int INVOKEDYNAMIC = 186;
    private static final int NEW = 187;
    private static final int NEWARRAY = 188;
    private static final int ANEWARRAY = 189;
    private static final int CHECKCAST = 192;
    private static final int INSTANCEOF = 193;
    private static final int WIDE = 196;
    private static final int MULTIANEWARRAY = 197;
    private static final int IFNULL = 198;
    private static final int IFNONNULL = 199;
    private static final int GOTO_W = 200;
    private static final int JSR_W = 201;

    final StringBuilder text = new StringBuilder();
    /** What the method calls, as {@code com.acme.Shop.add}. */
    final Set<String> calls = new TreeSet<>();
    /** Fields that it reads or writes. */
    final Set<String> fields = new TreeSet<>();
    private final Pool pool;
    private final int[] bootstraps;
    private final int start;
    private final int length;
    private final int[] numbers;

    /** @param place of the attribute's content; @param bootstraps places of the class's bootstrap methods */
    Code(Pool pool, int place, int[] bootstraps) {
        this.pool = pool;
        this.bootstraps = bootstraps;
        length = pool.int4(place + 4);
        start = place + 8;
        numbers = new int[length + 1];
        int number = 0;
        for (int at = 0; at < length; at += size(at)) {
            numbers[at] = number++;
        }
        numbers[length] = number;
        for (int at = 0; at < length; at += size(at)) {
            read(at);
        }
        int handlers = start + length;
        for (int at = 0; at < pool.int2(handlers); at++) {
            int entry = handlers + 2 + 8 * at;
            int type = pool.int2(entry + 6);
            text.append('!').append(numbers[pool.int2(entry)]).append(' ').append(numbers[pool.int2(entry + 2)]).append(' ')
                    .append(numbers[pool.int2(entry + 4)]).append(' ').append(type == 0 ? "" : pool.plain(type));
        }
    }

    private int size(int at) {
        int code = pool.int1(start + at);
        if (code == TABLESWITCH || code == LOOKUPSWITCH) {
            int body = 4 + (at & ~3) - at;
            int table = start + at + body;
            int n = code == TABLESWITCH
                    ? 3 + pool.int4(table + 8) - pool.int4(table + 4) + 1
                    : 2 + 2 * pool.int4(table + 4);
            if (n < 0 || n > length) {
                throw new IllegalArgumentException("it has a damaged switch");
            }
            return body + 4 * n;
        }
        if (code == WIDE) {
            return pool.int1(start + at + 1) == IINC ? 6 : 4;
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
        boolean isLong = code == SIPUSH || code == LDC + 1 || code == LDC2_W || code == IINC || code >= IFEQ && code <= JSR
                || code >= GETSTATIC && code <= INVOKESTATIC || code == NEW || code == ANEWARRAY || code == CHECKCAST
                || code == INSTANCEOF || code == IFNULL || code == IFNONNULL;
        return isLong ? 3 : 1;
    }

    private void read(int at) {
        int place = start + at;
        int code = pool.int1(place);
        text.append('\n');
        if (code >= LDC && code <= LDC2_W) {
            constant(LDC, code == LDC ? pool.int1(place + 1) : pool.int2(place + 1));
        } else if (code >= IFEQ && code <= JSR || code == IFNULL || code == IFNONNULL) {
            jump(code, at + (short) pool.int2(place + 1));
        } else if (code == GOTO_W || code == JSR_W) {
            jump(code - GOTO_W + JSR - 1, at + pool.int4(place + 1));
        } else if (code == TABLESWITCH || code == LOOKUPSWITCH) {
            branches(code, at);
        } else if (code >= GETSTATIC && code <= PUTFIELD) {
            constant(code, pool.int2(place + 1));
            fields.add(member(pool.int2(place + 1)));
        } else if (code >= INVOKEVIRTUAL && code <= INVOKEINTERFACE) {
            // Compilers disagree on how a private method or one of an interface is called.
            constant(code == INVOKESTATIC ? code : INVOKEVIRTUAL, pool.int2(place + 1));
            calls.add(member(pool.int2(place + 1)));
        } else if (code == INVOKEDYNAMIC) {
            constant(code, pool.int2(place + 1));
            bootstrapped(pool.int2(place + 1));
        } else if (code == NEW || code == ANEWARRAY || code == CHECKCAST || code == INSTANCEOF || code == MULTIANEWARRAY) {
            constant(code, pool.int2(place + 1));
            if (code == MULTIANEWARRAY) {
                text.append(' ').append(pool.int1(place + 3));
            }
        } else {
            boolean isWide = code == WIDE;
            int bare = isWide ? pool.int1(place + 1) : code;
            text.append(bare);
            for (int operand = isWide ? 2 : 1; operand < size(at); operand++) {
                int value = pool.int1(place + operand);
                // What is wide has further zeros.
                text.append(value == 0 && isWide ? "" : " " + value);
            }
        }
    }

    private void constant(int code, int constant) {
        text.append(code).append(' ').append(pool.plain(constant));
    }

    private void jump(int code, int to) {
        text.append(code).append(" >").append(numbers[to]);
    }

    private void branches(int code, int at) {
        int table = start + 4 + (at & ~3);
        boolean isTable = code == TABLESWITCH;
        int n = isTable ? pool.int4(table + 8) - pool.int4(table + 4) + 1 : pool.int4(table + 4);
        jump(code, at + pool.int4(table));
        for (int number = 0; number < n; number++) {
            int key = isTable ? pool.int4(table + 4) + number : pool.int4(table + 8 + 8 * number);
            int to = isTable ? pool.int4(table + 12 + 4 * number) : pool.int4(table + 12 + 8 * number);
            jump(key, at + to);
        }
    }

    /** Adds what the bootstrap method of a dynamic call gets: for a lambda, the method with its body. */
    private void bootstrapped(int constant) {
        int number = pool.bootstrap(constant);
        if (number >= bootstraps.length) {
            return;
        }
        int place = bootstraps[number];
        text.append(' ').append(pool.plain(pool.int2(place)));
        for (int argument = 0; argument < pool.int2(place + 2); argument++) {
            int given = pool.int2(place + 4 + 2 * argument);
            text.append(' ').append(pool.plain(given));
            int handled = pool.handled(given);
            if (handled != 0) {
                calls.add(member(handled));
            }
        }
    }

    private String member(int constant) {
        return Plain.qualified(pool.owner(constant)) + "." + Plain.member(pool.memberName(constant));
    }
}
