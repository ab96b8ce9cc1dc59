package io.onehop.jedis.internal.nodes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.onehop.core.config.Config;
import io.onehop.core.topology.PoolTopology;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.DeadlineExceeded;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.pool.PoolSettings;
import io.onehop.jedis.internal.tls.ClientTls;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisCluster;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.Test;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/** Questions to a node that opens connections slowly. */
class NodeQuestionTest {
    private static final int TIMEOUT_MS = 4000;

    private static Pool poolOf(ScriptedNode node) throws Exception {
        String config = Nodes.configOf(Stream.of(node.server()), "timeout: " + TIMEOUT_MS);
        ServerPool servers = Config.parse(config.getBytes(UTF_8)).pool("alpha");
        return new Pool(
                PoolTopology.of(servers).nodes().get(0),
                servers,
                new ClientTls(null, null),
                PoolSettings.STANDARD,
                null,
                null);
    }

    /** Asks the node. Returns the number of replies. */
    private static int ask(Pool pool) {
        return NodeQuestion.ask(
                        pool,
                        TIMEOUT_MS,
                        question -> {
                            question.send(new CommandArguments(Command.CLUSTER).add("INFO"));
                            return question.replies(1);
                        })
                .size();
    }

    @Test
    void theNextQuestionGoesOnWithAConnectionThatIsBeingOpened() throws Exception {
        AtomicBoolean isLate = new AtomicBoolean();
        ScriptedNode.Script slow =
                talk -> {
                    talk.command();
                    RedisCluster.await("the first question is late", isLate::get);
                    talk.send("+PONG\r\n").command();
                    talk.bulk("cluster_state:ok").awaitClose();
                };
        try (ScriptedNode node = ScriptedNode.start(slow);
                Pool pool = poolOf(node)) {
            DeadlineExceeded failure = assertThrows(DeadlineExceeded.class, () -> ask(pool));
            assertFalse(failure.mayHaveExecuted(), failure.getMessage());
            isLate.set(true);
            assertEquals(1, ask(pool));
            assertEquals(1, node.connections());
        }
    }
}
