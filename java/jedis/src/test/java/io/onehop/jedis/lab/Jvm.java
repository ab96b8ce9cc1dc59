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

    /** Runs a class of the tests in a JVM with these options. Returns its output. */
    public static String outputOf(Class<?> program, List<String> options, String... arguments) {
        return outputBeneath(List.of(), program, options, arguments);
    }

    /** Runs a class of the tests in a JVM that another program starts. Returns its output. */
    public static String outputBeneath(
            List<String> outer, Class<?> program, List<String> options, String... arguments) {
        List<String> words = new ArrayList<>(options);
        words.addAll(List.of("-cp", classPath(), program.getName()));
        words.addAll(List.of(arguments));
        return output(outer, words);
    }

    /** Runs {@code java} with these arguments. Returns its output, with that of stderr. */
    public static String output(String... words) {
        return output(List.of(), List.of(words));
    }

    private static String output(List<String> outer, List<String> words) {
        List<String> command = new ArrayList<>(List.of("setpriv", "--pdeathsig", "KILL"));
        command.addAll(outer);
        command.addAll(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1"));
        command.addAll(words);
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return output.replaceAll("(?m)^SLF4J: .*\\n", ""); // There is no logger for SLF4J.
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        }
    }
}
