package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.onehop.core.base.Limits;
import io.onehop.core.command.Command;
import io.onehop.jedis.internal.command.Commands;
import io.onehop.jedis.internal.command.Scripts;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisNoScriptException;
import redis.clients.jedis.util.SafeEncoder;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Scripts are on every node, and are loaded again on a node that has lost them. */
class ScriptsTest {
    private static final String COUNT = "return redis.call('incr', KEYS[1])";

    @RegisterExtension static final SharedNodes SHARED = SharedNodes.start(3);
    private static final Nodes nodes = SHARED.nodes();

    @BeforeEach
    void forget() {
        lose();
    }

    /** Makes every node forget its scripts, as after a restart. */
    private static void lose() {
        for (RedisServer server : nodes.servers()) {
            server.ask(one -> one.scriptFlush());
        }
    }

    @Test
    void aScriptWithoutKeysRunsOnlyIfThereIsOneServer() {
        String digest;
        digest = nodes.servers().get(0).ask(one -> one.scriptLoad("return ARGV[1]"));
        try (OneHopClient redis = Nodes.clientOf(Stream.of(nodes.servers().get(0).server()))) {
            assertEquals(1L, redis.eval("return 1"));
            assertEquals("x", redis.evalsha(digest, List.of(), List.of("x")));
            AbstractTransaction transaction = redis.multi();
            transaction.eval(
                    "return redis.call('set', 'undeclared', ARGV[1])", List.of(), List.of("y"));
            assertEquals("OK", SafeEncoder.encodeObject(transaction.exec().get(0)));
            assertEquals("y", redis.get("undeclared"));
            OneHopPipeline pipeline = redis.pipelined();
            pipeline.eval("return 2");
            assertEquals(List.of(2L), pipeline.syncAndReturnAll());
        }
        try (OneHopClient redis = nodes.client()) {
            assertThrows(Unsupported.class, () -> redis.eval("return 1"));
        }
    }

    private static List<String> keys(OneHopClient redis) {
        return nodes.servers().stream().map(server -> Nodes.keyOn(redis, server.node())).toList();
    }

    @Test
    void aScriptIsLoadedFoundAndFlushedOnEveryNode() {
        try (OneHopClient redis = nodes.client()) {
            String digest = redis.scriptLoad(COUNT);
            assertEquals(List.of(true), redis.scriptExists(List.of(digest)));
            keys(redis).forEach(key -> assertEquals(1L, redis.evalsha(digest, 1, key)));
            nodes.servers().get(1).ask(one -> one.scriptFlush());
            assertEquals(
                    List.of(false), redis.scriptExists(List.of(digest)), "not everywhere any more");
            assertEquals("OK", redis.scriptFlush());
        }
    }

    @Test
    void aLostScriptIsLoadedAgainAndRunsOnce() {
        try (OneHopClient redis = nodes.client()) {
            String digest = redis.scriptLoad(COUNT);
            for (long round = 1; round <= 3; round++) {
                lose();
                for (String key : keys(redis)) {
                    assertEquals(
                            round,
                            redis.evalsha(
                                    round == 2 ? digest.toUpperCase(Locale.ROOT) : digest, 1, key));
                }
            }
            Inspected.assertNothingLeased(redis);
        }
    }

    @Test
    void aScriptThatWasOnlySentByEvalIsRemembered() {
        try (OneHopClient redis = nodes.client()) {
            redis.eval("return KEYS[1]", 1, "key");
            try (AbstractPipeline pipeline = redis.pipelined()) {
                pipeline.eval("return {KEYS[1]}", 1, "key");
                pipeline.sync();
            }
            lose();
            assertEquals("a", redis.evalsha(digest("return KEYS[1]"), 1, "a"));
            assertEquals(List.of("b"), redis.evalsha(digest("return {KEYS[1]}"), 1, "b"));
        }
    }

    private static String digest(String body) {
        try (Jedis one = nodes.servers().get(0).jedis()) {
            String digest = one.scriptLoad(body);
            one.scriptFlush();
            return digest;
        }
    }

    @Test
    void forAScriptThatWasNeverSeenTheNodesErrorIsReturned() {
        try (OneHopClient redis = nodes.client();
                OneHopClient other = nodes.client()) {
            String digest = other.scriptLoad(COUNT);
            lose();
            assertThrows(JedisNoScriptException.class, () -> redis.evalsha(digest, 1, "key"));
            try (AbstractPipeline pipeline = redis.pipelined()) {
                Response<Object> reply = pipeline.evalsha(digest, 1, "key");
                pipeline.sync();
                assertThrows(JedisNoScriptException.class, reply::get);
            }
        }
    }

    @Test
    void inAPipelineTheScriptIsLoadedFirstAndOnceOnEachNode() {
        try (OneHopClient redis = nodes.client()) {
            String digest = redis.scriptLoad(COUNT);
            lose();
            List<String> keys = keys(redis);
            List<Response<Object>> counts = new ArrayList<>();
            try (AbstractPipeline pipeline = redis.pipelined()) {
                for (int i = 0; i < 30; i++) {
                    counts.add(pipeline.evalsha(digest, 1, keys.get(i % 3)));
                }
                pipeline.sync();
            }
            for (int i = 0; i < 30; i++) {
                assertEquals(i / 3 + 1L, counts.get(i).get());
            }
        }
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        try (ScriptedNode node =
                        ScriptedNode.start(
                                talk -> {
                                    talk.handshake();
                                    for (List<String> command : talk.commands()) {
                                        seen.add(command.get(0));
                                        talk.send(":1\r\n");
                                    }
                                });
                OneHopClient redis = node.client()) {
            redis.eval(COUNT, 1, "key");
            try (AbstractPipeline pipeline = redis.pipelined()) {
                for (int i = 0; i < 3; i++) {
                    pipeline.evalsha(digest(COUNT), 1, "key");
                }
                pipeline.sync();
            }
            assertEquals(List.of("EVAL", "SCRIPT", "EVALSHA", "EVALSHA", "EVALSHA"), seen);
        }
    }

    @Test
    void inATransactionALostScriptIsNotLoadedAgain() {
        try (OneHopClient redis = nodes.client()) {
            String digest = redis.scriptLoad(COUNT);
            lose();
            try (AbstractTransaction transaction = redis.multi()) {
                Response<Object> count = transaction.evalsha(digest, 1, "key");
                transaction.exec();
                assertThrows(JedisNoScriptException.class, count::get);
            }
        }
    }

    @Test
    void betweenWatchAndMultiALostScriptIsLoadedAgain() {
        try (OneHopClient redis = nodes.client()) {
            String digest = redis.scriptLoad(COUNT);
            lose();
            try (AbstractTransaction transaction = redis.transaction(false)) {
                transaction.watch("key");
                assertEquals(1L, transaction.evalsha(digest, 1, "key").get());
                assertThrows(
                        JedisNoScriptException.class,
                        transaction.evalsha("0".repeat(40), 1, "key")::get);
            }
            Inspected.assertNothingLeased(redis);
        }
    }

    @Test
    void theOldestScriptIsForgottenFirstAndTheLongestIsNeverKept() {
        Scripts scripts = new Scripts();
        Command eval = Commands.known(new CommandArguments(Protocol.Command.EVAL));
        for (int i = 0; i <= Limits.SCRIPTS_MAX; i++) {
            scripts.saw(eval, new CommandArguments(Protocol.Command.EVAL).add("return " + i));
        }
        assertNull(scripts.load(digest("return 0")));
        assertNotNull(scripts.load(digest("return 1")));
        assertNotNull(scripts.load(digest("return " + Limits.SCRIPTS_MAX)));
        String longest = "-- " + "x".repeat(Limits.SCRIPT_BYTES_MAX);
        scripts.saw(eval, new CommandArguments(Protocol.Command.EVAL).add(longest));
        assertNull(scripts.load(digest(longest)));
    }
}
