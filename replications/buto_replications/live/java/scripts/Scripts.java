import com.google.javascript.jscomp.CommandLineRunner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Compiles a made-up script by the command line of the Closure compiler: the same work with each release. */
public final class Scripts {
    private static final int CLASSES = 8;

    private Scripts() {}

    private static String script() {
        StringBuilder text = new StringBuilder("'use strict';\n");
        for (int number = 0; number < CLASSES; number++) {
            text.append("/** @unrestricted */ class Shape").append(number).append(" {\n");
            text.append("  /** @param {number} width @param {number=} height */\n");
            text.append("  constructor(width, height = ").append(number).append(") {\n");
            text.append("    this.width = width; this.height = height; this.names = new Map();\n  }\n");
            text.append("  /** @return {number} */\n  area() { return this.width * this.height; }\n");
            text.append("  *walk(limit) { for (let i = 0; i < limit; i++) { yield `${i}:${this.area()}`; } }\n");
            text.append("  async load(address) {\n    const {body, ...more} = await fetch(address);\n");
            text.append("    return Object.keys(more).filter(key => key !== 'skip').map(key => [key, body]);\n  }\n}\n");
            text.append("console.log([...new Shape").append(number).append("(3).walk(").append(number % 9).append(")]);\n");
        }
        return text.toString();
    }

    public static void main(String[] words) throws IOException {
        Path directory = Files.createTempDirectory("scripts");
        Path input = Files.writeString(directory.resolve("input.js"), script());
        Path output = directory.resolve("output.js");
        // Its main ends the JVM, without a word of what is left behind.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            output.toFile().delete();
            input.toFile().delete();
            directory.toFile().delete();
        }));
        CommandLineRunner.main(new String[] {
            "--compilation_level", "SIMPLE", "--language_out", "ECMASCRIPT5", "--warning_level", "QUIET",
            "--js", input.toString(), "--js_output_file", output.toString()
        });
    }
}
