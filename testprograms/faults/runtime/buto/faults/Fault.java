package buto.faults;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** One fault: a kind, an amount, and whether it is switched on. */
public final class Fault implements FaultMXBean {
    /** What a fault does each time its method ends. */
    public enum Kind {
        /** Use so many nanoseconds of processor time. */
        BURN,
        /** Use so many thousandths of the method's own processor time once more. */
        SLOW,
        /** Keep so many bytes for ever. */
        RETAIN,
        /** Allocate so many bytes and drop them. */
        ALLOCATE,
        /** Run the method so many times more. */
        REPEAT,
        /** Run the method once more in one of so many calls, and keep what it returned first: a resource is lost. */
        LEAK,
        /** Print so many lines: not by a logger, which a program may configure to be silent. */
        LOG
    }

    private final Kind kind;
    private final long amount;
    private final List<Object> retained = new ArrayList<>();
    private final AtomicLong calls = new AtomicLong();
    private final AtomicLong strikes = new AtomicLong();
    private volatile boolean active;
    private volatile byte[] dropped;

    public Fault(Kind kind, long amount, boolean active) {
        this.kind = kind;
        this.amount = amount;
        this.active = active;
    }

    void strike(long entered) {
        strikes.incrementAndGet();
        switch (kind) {
            case BURN:
                CpuClock.burn(amount);
                break;
            case SLOW:
                CpuClock.burn((CpuClock.nanos() - entered) * amount / 1000);
                break;
            case RETAIN:
                retain(new byte[(int) amount]);
                break;
            case ALLOCATE:
                dropped = new byte[(int) amount];
                break;
            case LOG:
                for (int line = 0; line < amount; line++) {
                    System.out.println("line " + line + " of a fault, number " + strikes.get());
                }
                break;
            default:
                break;
        }
    }

    boolean repeats(int repeated) {
        if (kind != Kind.REPEAT || !active || repeated >= amount) {
            return false;
        }
        strikes.incrementAndGet();
        return true;
    }

    boolean leaks(int repeated, Object returned) {
        if (!active || repeated > 0 || returned == null || calls.incrementAndGet() % amount != 0) {
            return false;
        }
        strikes.incrementAndGet();
        retain(returned);
        return true;
    }

    private void retain(Object kept) {
        synchronized (retained) {
            retained.add(kept);
        }
    }

    @Override
    public boolean isActive() {
        return active;
    }

    @Override
    public void setActive(boolean active) {
        this.active = active;
    }

    @Override
    public void switchOn() {
        active = true;
    }

    @Override
    public void switchOff() {
        active = false;
    }

    @Override
    public long getStrikes() {
        return strikes.get();
    }

    @Override
    public String getKind() {
        return kind.name();
    }

    @Override
    public long getAmount() {
        return amount;
    }
}
