package buto.probes.classes;

import static buto.probes.classes.Instructions.ANEWARRAY;
import static buto.probes.classes.Instructions.CHECKCAST;
import static buto.probes.classes.Instructions.GETSTATIC;
import static buto.probes.classes.Instructions.GOTO_W;
import static buto.probes.classes.Instructions.INSTANCEOF;
import static buto.probes.classes.Instructions.INVOKEDYNAMIC;
import static buto.probes.classes.Instructions.INVOKEINTERFACE;
import static buto.probes.classes.Instructions.INVOKESTATIC;
import static buto.probes.classes.Instructions.INVOKEVIRTUAL;
import static buto.probes.classes.Instructions.JSR;
import static buto.probes.classes.Instructions.LDC;
import static buto.probes.classes.Instructions.LDC2_W;
import static buto.probes.classes.Instructions.MULTIANEWARRAY;
import static buto.probes.classes.Instructions.NEW;
import static buto.probes.classes.Instructions.PUTFIELD;
import static buto.probes.classes.Instructions.TABLESWITCH;
import static buto.probes.classes.Instructions.WIDE;

import java.util.Set;
import java.util.TreeSet;

/** The instructions of one method as text in which constants are resolved, and jumps lead to numbers of instructions. */
final class Code {
    final StringBuilder text = new StringBuilder();
    /** What the method calls, as {@code com.acme.Shop.add}. */
    final Set<String> calls = new TreeSet<>();
    /** Fields that it reads or writes. */
    final Set<String> fields = new TreeSet<>();
    private final Pool pool;
    private final int[] bootstraps;
    private final Instructions instructions;
    private final int[] numbers;

    /** @param place of the attribute's content; @param bootstraps places of the class's bootstrap methods */
    Code(Pool pool, int place, int[] bootstraps) {
        this.pool = pool;
        this.bootstraps = bootstraps;
        instructions = new Instructions(pool, place);
        int length = instructions.length;
        numbers = new int[length + 1];
        int number = 0;
        for (int at = 0; at < length; at = instructions.next(at)) {
            numbers[at] = number++;
        }
        numbers[length] = number;
        for (int at = 0; at < length; at = instructions.next(at)) {
            read(at);
        }
        int handlers = instructions.place(length);
        for (int at = 0; at < pool.int2(handlers); at++) {
            int entry = handlers + 2 + 8 * at;
            int type = pool.int2(entry + 6);
            text.append('!').append(numbers[pool.int2(entry)]).append(' ').append(numbers[pool.int2(entry + 2)]).append(' ')
                    .append(numbers[pool.int2(entry + 4)]).append(' ').append(type == 0 ? "" : pool.plain(type));
        }
    }

    private void read(int at) {
        int place = instructions.place(at);
        int code = pool.int1(place);
        text.append('\n');
        if (code >= LDC && code <= LDC2_W) {
            constant(LDC, code == LDC ? pool.int1(place + 1) : pool.int2(place + 1));
        } else if (instructions.isJump(at)) {
            jump(code, at + (short) pool.int2(place + 1));
        } else if (instructions.isFarJump(at)) {
            jump(code - GOTO_W + JSR - 1, at + pool.int4(place + 1));
        } else if (instructions.isSwitch(at)) {
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
            int size = instructions.next(at) - at;
            for (int operand = isWide ? 2 : 1; operand < size; operand++) {
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
        int table = instructions.place(at) + 1 + Instructions.padding(at);
        boolean isTable = code == TABLESWITCH;
        int n = instructions.branches(at);
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
