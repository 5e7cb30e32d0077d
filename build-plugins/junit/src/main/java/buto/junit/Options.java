package buto.junit;

import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Options of whoever runs the tests: {@code buto.NAME} as a JUnit parameter, or {@code BUTO_NAME} outside. */
final class Options {
    private final ExtensionContext context;

    Options(ExtensionContext context) {
        this.context = context;
    }

    /** A system property or a line of {@code junit-platform.properties}; else a variable of the environment. */
    Optional<String> text(String name) {
        Optional<String> parameter = context.getConfigurationParameter("buto." + name);
        return parameter.isPresent()
                ? parameter
                : Optional.ofNullable(System.getenv("BUTO_" + name.toUpperCase(Locale.ROOT)));
    }

    boolean isOn(String name) {
        return text(name).map(Boolean::parseBoolean).orElse(false);
    }
}
