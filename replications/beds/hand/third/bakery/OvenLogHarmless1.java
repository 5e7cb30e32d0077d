import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.FileAppender;
import java.nio.file.Path;
import org.slf4j.Logger;

final class OvenLogHarmless1 implements OvenLog {
    private static final String PATTERN = "%d{yyyy-MM-dd HH:mm:ss.SSS} %-5level %logger - %msg%n";
    private final LoggerContext context = new LoggerContext();

    @Override public void open(Path dir) {
        context.setMDCAdapter(new LogbackMDCAdapter());
        ch.qos.logback.classic.Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.INFO);
        root.addAppender(appender("shift", dir.resolve("shift.log")));
        ch.qos.logback.classic.Logger ovens = context.getLogger("bakery.ovens");
        ovens.addAppender(appender("ovens", dir.resolve("ovens.log")));
        ovens.setAdditive(false);
    }

    private FileAppender<ILoggingEvent> appender(String name, Path file) {
        FileAppender<ILoggingEvent> appender = new FileAppender<>();
        appender.setContext(context);
        appender.setName(name);
        appender.setFile(file.toString());
        appender.setImmediateFlush(false);
        appender.setEncoder(encoder());
        appender.start();
        return appender;
    }

    private PatternLayoutEncoder encoder() {
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern(PATTERN);
        encoder.start();
        return encoder;
    }

    @Override public Logger oven(int oven) {
        return context.getLogger("bakery.ovens.Thermometer" + oven);
    }

    @Override public Logger shift() {
        return context.getLogger("bakery.Shift");
    }

    @Override public void close() {
        context.stop();
    }
}
