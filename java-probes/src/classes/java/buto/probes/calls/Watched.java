package buto.probes.calls;

import buto.probes.classes.Instructions;
import buto.probes.classes.Pool;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * The code of one method that calls {@link Counts} first of all, before each return, and in a handler of whatever is thrown.
 * What else there is moves: jumps, switches, and tables with places in the code. Tables for debuggers are left out.
 */
final class Watched {
    private static final int SIPUSH = 17;
    private static final int INVOKESTATIC = 184;
    private static final int ATHROW = 191;
    private static final int CALL = 6;
    private static final int HANDLER = CALL + 1;
    /** With at most so many bytes, two reach each jump. */
    private static final int LONGEST = 32_767;

    private final Pool pool;
    private final Added added;
    private final int number;
    private final Instructions old;
    /** By the old place of each instruction and of the end, the new one: of a return, that of the call before it. */
    private final int[] moved;
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(content);

    /** @param place of the content of the attribute with the code; @param number of the method */
    Watched(Pool pool, Added added, int place, int number) {
        this.pool = pool;
        this.added = added;
        this.number = number;
        old = new Instructions(pool, place);
        moved = new int[old.length + 1];
        int to = CALL;
        for (int at = 0; at < old.length; at = old.next(at)) {
            moved[at] = to;
            to += old.next(at) - at + (old.isReturn(at) ? CALL : 0);
            to += old.isSwitch(at) ? Instructions.padding(moved[at]) - Instructions.padding(at) : 0;
        }
        moved[old.length] = to;
    }

    boolean isShortEnough() {
        return moved[old.length] + HANDLER <= LONGEST;
    }

    /** Returns the attribute's content. @param isConstructor of which no handler may see the object before its parent has */
    byte[] content(boolean isConstructor) throws IOException {
        int head = old.place(0) - 8;
        int end = moved[old.length];
        int from = isConstructor ? initialized() : 0;
        boolean isHandled = from < old.length;
        out.writeShort(Math.max(1, pool.int2(head)) + 1);
        out.writeShort(pool.int2(head + 2));
        out.writeInt(end + (isHandled ? HANDLER : 0));
        call(added.entered());
        for (int at = 0; at < old.length; at = old.next(at)) {
            instruction(at);
        }
        if (isHandled) {
            call(added.left());
            out.writeByte(ATHROW);
        }
        int tables = handlers(isHandled ? 1 : 0);
        if (isHandled) {
            out.writeShort(moved[from]);
            out.writeShort(end);
            out.writeShort(end);
            out.writeShort(0);
        }
        tables(tables, isHandled);
        return content.toByteArray();
    }

    private void call(int constant) throws IOException {
        out.writeByte(SIPUSH);
        out.writeShort(number);
        out.writeByte(INVOKESTATIC);
        out.writeShort(constant);
    }

    /** Returns the place behind the call of the parent's constructor or of another one of this class; else the end. */
    private int initialized() {
        int made = 0;
        for (int at = 0; at < old.length; at = old.next(at)) {
            if (old.code(at) == Instructions.NEW) {
                made++;
            } else if (old.code(at) == Instructions.INVOKESPECIAL
                    && pool.memberName(pool.int2(old.place(at) + 1)).equals("<init>") && made-- == 0) {
                return old.next(at);
            }
        }
        return old.length;
    }

    private void instruction(int at) throws IOException {
        int place = old.place(at);
        if (old.isReturn(at)) {
            call(added.left());
        }
        out.writeByte(old.code(at));
        if (old.isJump(at)) {
            out.writeShort(moved[at + (short) pool.int2(place + 1)] - moved[at]);
        } else if (old.isFarJump(at)) {
            out.writeInt(moved[at + pool.int4(place + 1)] - moved[at]);
        } else if (old.isSwitch(at)) {
            branches(at);
        } else {
            out.write(pool.bytes, place + 1, old.next(at) - at - 1);
        }
    }

    private void branches(int at) throws IOException {
        out.write(new byte[Instructions.padding(moved[at])]);
        int table = old.place(at) + 1 + Instructions.padding(at);
        boolean isTable = old.code(at) == Instructions.TABLESWITCH;
        out.writeInt(moved[at + pool.int4(table)] - moved[at]);
        out.write(pool.bytes, table + 4, isTable ? 8 : 4);
        int entry = table + (isTable ? 12 : 8);
        for (int left = old.branches(at); left > 0; left--) {
            if (!isTable) {
                out.writeInt(pool.int4(entry));
                entry += 4;
            }
            out.writeInt(moved[at + pool.int4(entry)] - moved[at]);
            entry += 4;
        }
    }

    /** Writes the handlers, which more will follow, and returns the place of what stands behind them. */
    private int handlers(int more) throws IOException {
        int at = old.place(old.length);
        int left = pool.int2(at);
        out.writeShort(left + more);
        for (at += 2; left > 0; left--, at += 8) {
            for (int part = 0; part < 6; part += 2) {
                out.writeShort(moved[pool.int2(at + part)]);
            }
            out.writeShort(pool.int2(at + 6));
        }
        return at;
    }

    private void tables(int from, boolean isHandled) throws IOException {
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        DataOutputStream lines = new DataOutputStream(kept);
        int number = 0;
        int frames = 0;
        int at = from + 2;
        for (int left = pool.int2(from); left > 0; left--, at += 6 + pool.int4(at + 2)) {
            String name = pool.text(pool.int2(at));
            if (name.equals("LineNumberTable")) {
                number++;
                lines.write(pool.bytes, at, 8);
                for (int entry = at + 8; entry < at + 8 + 4 * pool.int2(at + 6); entry += 4) {
                    lines.writeShort(moved[pool.int2(entry)]);
                    lines.writeShort(pool.int2(entry + 2));
                }
            } else if (name.equals("StackMapTable")) {
                frames = at + 6;
            }
        }
        MovedFrames table = new MovedFrames(pool, moved);
        if (frames > 0) {
            table.addAll(frames);
        }
        if (isHandled) {
            table.addHandler(old.length, added.throwable());
        }
        byte[] bytes = table.bytes();
        out.writeShort(number + 1);
        kept.writeTo(out);
        out.writeShort(added.frames());
        out.writeInt(bytes.length);
        out.write(bytes);
    }
}
