import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.FileAppender;
import java.nio.file.Path;
import org.slf4j.Logger;

final class OvenLogHarmless2 implements OvenLog {
    private static final String LINE = "%d{yyyy-MM-dd HH:mm:ss.SSS} %-5level %logger - %msg%n";
    private final LoggerContext context = new LoggerContext();

    @Override public void open(Path dir) {
        context.setMDCAdapter(new LogbackMDCAdapter());
        Target ovens = new Target("bakery.ovens", "ovens", false);
        Target rest = new Target(Logger.ROOT_LOGGER_NAME, "shift", true);
        attach(ovens, dir);
        attach(rest, dir).setLevel(Level.INFO);
    }

    /** A logger with its file. */
    private record Target(String logger, String name, boolean additive) { }

    private ch.qos.logback.classic.Logger attach(Target target, Path dir) {
        ch.qos.logback.classic.Logger logger = context.getLogger(target.logger());
        logger.addAppender(appender(target.name(), dir.resolve(target.name() + ".log")));
        logger.setAdditive(target.additive());
        return logger;
    }

    private FileAppender<ILoggingEvent> appender(String name, Path file) {
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern(LINE);
        encoder.start();
        FileAppender<ILoggingEvent> appender = new FileAppender<>();
        appender.setContext(context);
        appender.setName(name);
        appender.setFile(file.toString());
        appender.setImmediateFlush(false);
        appender.setEncoder(encoder);
        appender.start();
        return appender;
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
