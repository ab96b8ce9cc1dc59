package io.onehop.jedis.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The module of conformance/lab/module.c. Its commands are not in the command table. */
public final class CommandModule {
    private static final Path FILE = compiled();

    private CommandModule() {}

    /** Options of a server that loads it, for {@link RedisServer#start}. */
    public static String[] options(String... more) {
        String[] options = new String[more.length + 4];
        options[0] = "loadmodule";
        options[1] = FILE.toString();
        options[2] = "enable-module-command";
        options[3] = "yes";
        System.arraycopy(more, 0, options, 4, more.length);
        return options;
    }

    private static Path compiled() {
        try {
            Path file = Files.createTempDirectory("onehop-module").resolve("module.so");
            file.toFile().deleteOnExit();
            file.getParent().toFile().deleteOnExit();
            Process compiler =
                    new ProcessBuilder(
                                    "cc",
                                    "-shared",
                                    "-fPIC",
                                    "-o",
                                    file.toString(),
                                    "../../conformance/lab/module.c")
                            .inheritIO()
                            .start();
            if (compiler.waitFor() != 0) {
                throw new IllegalStateException("conformance/lab/module.c was not compiled");
            }
            return file;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }
}
