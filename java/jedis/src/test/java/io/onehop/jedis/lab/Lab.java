package io.onehop.jedis.lab;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;

/**
 * The lab of all languages, {@code conformance/lab}, as a child process. It starts servers, and
 * stops them when this process ends in any way. {@code conformance/lab/server.py} describes its
 * requests.
 */
final class Lab {
    private static final Lab LAB = new Lab();

    private final Gson gson = new Gson();
    private final BufferedWriter requests;
    private final BufferedReader answers;

    private Lab() {
        try {
            Path directory = directory();
            Process process =
                    new ProcessBuilder(
                                    "/usr/bin/python3",
                                    "-I",
                                    "-S",
                                    program().toString(),
                                    directory.toString())
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
            requests = process.outputWriter(StandardCharsets.UTF_8);
            answers = process.inputReader(StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /**
     * In memory if there is room for it, because nodes of a cluster wait for their disk at each
     * change.
     */
    private static Path directory() throws IOException {
        Path memory = Path.of("/dev/shm");
        if (Files.isDirectory(memory) && memory.toFile().getUsableSpace() >= 256 << 20) {
            return Files.createTempDirectory(memory, "onehop-lab");
        }
        return Files.createTempDirectory("onehop-lab");
    }

    /** The repository is somewhere above the directory in which the tests run. */
    private static Path program() {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            if (Files.exists(at.resolve("conformance/lab/serve.py"))) {
                return at.resolve("conformance/lab/serve.py");
            }
        }
        throw new IllegalStateException(
                "conformance/lab/serve.py is not above " + Path.of("").toAbsolutePath());
    }

    /** Sends a request, and returns the answer. The arguments are names and values in turn. */
    static JsonElement ask(String what, Object... arguments) {
        Map<String, Object> request = new HashMap<>(Map.of("do", what));
        for (int i = 0; i < arguments.length; i += 2) {
            request.put((String) arguments[i], arguments[i + 1]);
        }
        return LAB.answered(request);
    }

    /** Sends a request whose answer is a list, and returns the elements. */
    static List<JsonObject> askForAll(String what, Object... arguments) {
        return StreamSupport.stream(ask(what, arguments).getAsJsonArray().spliterator(), false)
                .map(JsonElement::getAsJsonObject)
                .toList();
    }

    private synchronized JsonElement answered(Map<String, Object> request) {
        try {
            requests.write(gson.toJson(request) + "\n");
            requests.flush();
            JsonObject answer = gson.fromJson(answers.readLine(), JsonObject.class);
            if (answer == null || answer.has("failed")) {
                throw new IllegalStateException(
                        answer == null ? "the lab has ended" : answer.get("failed").getAsString());
            }
            return answer.get("is");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
