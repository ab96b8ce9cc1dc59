package io.onehop.jedis.lab;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs a program in a JVM of its own, with other limits, other modules or another class path. */
public final class Jvm {

    private Jvm() {}

    /** The class path of the tests. */
    public static String classPath() {
        return System.getProperty("java.class.path");
    }

    /** Its whole output with its errors. The words are the arguments of {@code java}. */
    public static String output(String... words) {
        return outputBeneath(List.of(), words);
    }

    /** The same for a JVM that another program starts. */
    public static String outputBeneath(List<String> program, String... words) {
        List<String> command = new ArrayList<>(List.of("setpriv", "--pdeathsig", "KILL"));
        command.addAll(program);
        command.addAll(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of(words));
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        }
    }
}
