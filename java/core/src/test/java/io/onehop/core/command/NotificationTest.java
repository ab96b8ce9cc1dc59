package io.onehop.core.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonObject;

import io.onehop.core.Spec;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;

/** Which channels and patterns go to every node, as in the vectors. */
class NotificationTest {

    @TestFactory
    Stream<DynamicTest> everyVector() {
        return Spec.groups("route/vectors/notifications.json").stream()
                .flatMap(NotificationTest::tests);
    }

    private static Stream<DynamicTest> tests(JsonObject group) {
        boolean isChannel = group.get("type").getAsString().equals("ChannelTest");
        return Spec.objects(group.getAsJsonArray("tests")).stream()
                .map(
                        test ->
                                DynamicTest.dynamicTest(
                                        test.get("tcId") + ": " + test.get("comment").getAsString(),
                                        () -> check(isChannel, test)));
    }

    private static void check(boolean isChannel, JsonObject test) {
        byte[] name = test.get("name").getAsString().getBytes(StandardCharsets.UTF_8);
        assertEquals(
                test.get("everywhere").getAsBoolean(),
                isChannel ? Notification.isChannel(name) : Notification.mayMatch(name));
    }
}
