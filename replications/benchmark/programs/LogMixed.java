import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.config.ConfigurationSource;
import org.apache.logging.log4j.core.config.Configurator;

/** Logs orders to a file with an asynchronous logger, in a configuration that has a synchronous one too. */
final class LogMixed {
    private static final int ORDERS = 60_000;
    private static final String CONFIGURATION = """
            <Configuration status="warn">
              <Appenders>
                <File name="file" fileName="/dev/null">
                  <PatternLayout pattern="%d %p %c [%t] %m%n"/>
                </File>
              </Appenders>
              <Loggers>
                <AsyncLogger name="shop" level="info" additivity="false">
                  <AppenderRef ref="file"/>
                </AsyncLogger>
                <Root level="warn">
                  <AppenderRef ref="file"/>
                </Root>
              </Loggers>
            </Configuration>
            """;

    public static void main(String[] args) throws Exception {
        var content = new ByteArrayInputStream(CONFIGURATION.getBytes(StandardCharsets.UTF_8));
        try (var context = Configurator.initialize(null, new ConfigurationSource(content))) {
            Logger log = LogManager.getLogger("shop.orders");
            for (int i = 0; i < ORDERS; i++) {
                log.info("order {} of {} has {} goods", i, "customer " + i % 1_000, i % 100);
            }
            context.stop();
            Use.print(context, log);
        }
    }
}
