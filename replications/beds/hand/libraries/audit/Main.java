import ch.qos.logback.classic.*;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.spi.FilterReply;
import java.io.OutputStream;
import java.util.*;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;

/** Clears payments between accounts and writes an audit log (refusals at INFO, all else at DEBUG, which is off). */
public class Main {
    public static void main(String[] args) {
        LineCounter log = new LineCounter();
        configure(log);
        Clearing clearing = Clearings.make(args[0]);
        Random r = new Random(606);
        long[] balance = new long[300];
        Arrays.fill(balance, 100_000);
        for (int i = 0; i < 600_000; i++) {
            Payment p = new Payment(i, r.nextInt(300), r.nextInt(300), 1 + r.nextInt(4000));
            clearing.clear(p, balance);
        }
        System.out.println("balances " + Arrays.hashCode(balance) + ", lines in the audit log " + log.lines);
    }

    private static void configure(OutputStream to) {
        LoggerContext ctx = (LoggerContext) LoggerFactory.getILoggerFactory();
        ctx.reset();
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(ctx);
        encoder.setPattern("%-5level %logger{20} - %msg%n");
        encoder.start();
        OutputStreamAppender<ILoggingEvent> appender = new OutputStreamAppender<>();
        appender.setContext(ctx);
        appender.setEncoder(encoder);
        appender.setOutputStream(to);
        appender.start();
        ctx.addTurboFilter(new FlightRecorder());
        Logger root = ctx.getLogger(Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.INFO);
        root.addAppender(appender);
    }

    /** The last calls of any level, for the crash report. */
    static final class FlightRecorder extends TurboFilter {
        private final Object[] calls = new Object[128];
        private int n;

        @Override public FilterReply decide(Marker marker, Logger logger, Level level, String format, Object[] params, Throwable t) {
            if (format != null) {
                calls[n++ & 127] = format;
                calls[n++ & 127] = params;
            }
            return FilterReply.NEUTRAL;
        }
    }

    static final class LineCounter extends OutputStream {
        long lines;

        @Override public void write(int b) { if (b == '\n') lines++; }

        @Override public void write(byte[] b, int off, int len) {
            for (int i = off; i < off + len; i++) write(b[i]);
        }
    }
}

record Payment(int id, int from, int to, long cents) {
    String describe() {
        return "{\"payment\":" + id + ",\"from\":" + from + ",\"to\":" + to + ",\"cents\":" + cents + "}";
    }
}

interface Clearing {
    void clear(Payment p, long[] balance);
}

class Clearings {
    static Clearing make(String version) {
        switch (version) {
            case "base": return new ClearingBase();
            case "small": return new ClearingSmall();
            case "large": return new ClearingLarge();
            case "harmless1": return new ClearingHarmless1();
            case "harmless2": return new ClearingHarmless2();
            case "better": return new ClearingBetter();
            default: throw new IllegalArgumentException(version);
        }
    }
}
