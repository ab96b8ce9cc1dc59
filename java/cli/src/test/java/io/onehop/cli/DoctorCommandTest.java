package io.onehop.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.Node;
import io.onehop.core.Role;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.lab.Certificates;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisCluster;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.TlsServer;
import io.onehop.jedis.lab.WatchedMasters;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** onehop doctor: what is wrong with nodes, and what to do about it. */
class DoctorCommandTest {
    @TempDir Path folder;

    private Path file(Stream<RedisServer> servers, String... directives) throws Exception {
        String[] all =
                Stream.concat(Stream.of("timeout: 30000"), Stream.of(directives))
                        .toArray(String[]::new);
        return Ran.file(folder, "a.yml", Nodes.configOf(servers.map(RedisServer::server), all));
    }

    @Test
    void nodesWithoutALimitDifferingPoliciesBigKeysAndStraysAreFound() throws Exception {
        try (RedisServer one = RedisServer.start();
                RedisServer two =
                        RedisServer.start(
                                "maxmemory", "100mb", "maxmemory-policy", "allkeys-lru")) {
            try (Jedis first = one.jedis();
                    Jedis second = two.jedis()) {
                for (int i = 0; i < 20; i++) {
                    first.set("key:" + i, "x");
                    second.set("key:" + i, "x");
                }
                first.set("big", "x".repeat(5000));
                second.set("big", "x".repeat(5000));
                second.clientSetname("a-stranger");
                Path file = file(Stream.of(one, two));
                Ran.of("doctor", "-c", file, "--big", "4096", "--rate", "100000")
                        .with(ExitStatus.FINDINGS)
                        .says("all nodes: warning: have several eviction policies: allkeys-lru,")
                        .says(one.node() + ": warning: has no maxmemory")
                        .says("(a-stranger) (do they place keys alike?")
                        .says("warning: has a key of ")
                        .says("of 21 sampled keys are not sought here")
                        .says("alpha: 2 of 2 nodes answer");
            }
        }
    }

    @Test
    void aNodeThatDoesNotAnswerIsAFindingAndTheOthersAreExamined() throws Exception {
        try (RedisServer one = RedisServer.start();
                RedisServer two = RedisServer.start()) {
            Path file = file(Stream.of(one, two));
            two.kill();
            Ran.of("doctor", "-c", file)
                    .with(ExitStatus.NO_ANSWER)
                    .says(two.node() + ": error: Connection refused")
                    .says(one.node() + ": warning: has no maxmemory")
                    .says("alpha: 1 of 2 nodes answer");
            Ran json = Ran.of("doctor", "-c", file, "--json").with(ExitStatus.NO_ANSWER);
            assertEquals(1, json.json().get("without_answer").getAsInt());
            Ran.of("status", "-c", file)
                    .with(ExitStatus.NO_ANSWER)
                    .says("down")
                    .says("alpha: 1 of 2 nodes answer");
        }
    }

    @Test
    void aUserWithoutTheRightToACommandIsANote() throws Exception {
        try (RedisServer one = RedisServer.start();
                Jedis jedis = one.jedis()) {
            jedis.aclSetUser("ops", "on", ">secret", "~*", "+@all", "-client|list", "-memory");
            Path file = file(Stream.of(one), "username: ops", "redis_auth: secret");
            jedis.set("key", "value");
            Ran.of("doctor", "-c", file)
                    .with(ExitStatus.FINDINGS)
                    .says("note: refuses CLIENT LIST, so this was not checked: NOPERM")
                    .says("note: refuses SCAN and MEMORY USAGE, so this was not checked: NOPERM");
        }
    }

    @Test
    void aNodeThatRefusesInfoAnswersAndHidesNoOther() throws Exception {
        try (RedisServer one = RedisServer.start();
                RedisServer two = RedisServer.start();
                Jedis first = one.jedis();
                Jedis second = two.jedis()) {
            first.aclSetUser("ops", "on", ">secret", "~*", "+@all", "-info");
            second.aclSetUser("ops", "on", ">secret", "~*", "+@all");
            first.set("key", "value");
            Path file = file(Stream.of(one, two), "username: ops", "redis_auth: secret");
            String refusal = "refuses INFO, so this was not checked: NOPERM";
            Ran.of("doctor", "-c", file)
                    .with(ExitStatus.FINDINGS)
                    .says(one.node() + ": note: " + refusal)
                    .says(two.node() + ": warning: has no maxmemory")
                    .says("alpha: 2 of 2 nodes answer");
            Ran.of("status", "-c", file)
                    .with(ExitStatus.FINDINGS)
                    .says(one.node() + ": " + refusal)
                    .says("alpha: 2 of 2 nodes answer");
            Ran.of("hot", "-c", file, "--looks", "1")
                    .with(ExitStatus.FINE)
                    .says("of 1 sampled keys");
        }
    }

    @Test
    void nodesAreReachedByTls() throws Exception {
        Certificates certificates = new Certificates(folder);
        try (TlsServer server = TlsServer.start(certificates, "node", "maxmemory", "100mb")) {
            String[] trusting = {
                "tls: true", "tls_ca_cert_file: " + certificates.certificate("ca")
            };
            Ran.of("doctor", "-c", file(server, trusting))
                    .with(ExitStatus.FINE)
                    .says("alpha: 1 of 1 nodes answer: 0 errors, 0 warnings");
            Ran.of("doctor", "-c", file(server))
                    .with(ExitStatus.NO_ANSWER)
                    .says(server.node() + ": error: ")
                    .says("alpha: 0 of 1 nodes answer");
            new Certificates(Files.createDirectory(folder.resolve("other")));
            trusting[1] = "tls_ca_cert_file: " + folder.resolve("other/ca.crt");
            Ran.of("doctor", "-c", file(server, trusting))
                    .with(ExitStatus.NO_ANSWER)
                    .says("certificate");
        }
    }

    private Path file(TlsServer server, String... directives) throws Exception {
        String[] all =
                Stream.concat(Stream.of("timeout: 30000"), Stream.of(directives))
                        .toArray(String[]::new);
        return Ran.file(folder, "a.yml", Nodes.configOf(Stream.of(server.server()), all));
    }

    @Test
    void theMastersOfSentinelsAreExamined() throws Exception {
        try (WatchedMasters masters = WatchedMasters.start(1)) {
            String text = masters.config("timeout: 30000", "hash: murmur");
            Path file = Ran.file(folder, "a.yml", text);
            Ran.of("doctor", "-c", file)
                    .with(ExitStatus.FINDINGS)
                    .says("node-0: warning: has no maxmemory")
                    .says("alpha: 1 of 1 nodes answer: 0 errors");
            masters.failOver(0);
            RedisCluster.await("the replica has taken over", () -> hasTakenOver(masters));
            Ran.of("doctor", "-c", file)
                    .with(ExitStatus.FINDINGS)
                    .says("alpha: 1 of 1 nodes answer: 0 errors");
            masters.blind();
            Ran.of("doctor", "-c", file).refused(ExitStatus.NO_ANSWER, "node-0");
        }
    }

    /** True if the Sentinels name the replica as master, and the old master follows the replica. */
    private static boolean hasTakenOver(WatchedMasters masters) {
        try (Jedis old = masters.master(0).jedis()) {
            return masters.masterPorts(0).stream()
                            .allMatch(port -> port == masters.replica(0).port())
                    && old.info("replication").contains("master_link_status:up");
        } catch (JedisConnectionException cut) {
            return false; // A Sentinel cuts clients of the old master.
        }
    }

    private static List<Finding> examined(String info) {
        Node node = new Node(0, "n", "h", 1, null, 1, "", Role.NONE, 0, false, false, false);
        return NodeExamination.of(
                new NodeReading(node, NodeInfo.of(info), true, "", Duration.ZERO));
    }

    @Test
    void somethingElseThanRedisHasNoRole() throws Exception {
        Node node = new Node(0, "n", "h", 1, null, 1, "", Role.NONE, 0, false, false, false);
        NodeReading reading = new NodeReading(node, NodeInfo.of("hello"), true, "", Duration.ZERO);
        String text = "a:\n  engine: redis\n  servers:\n   - h:1\n";
        ServerPool pool = ConfigFile.read(Ran.file(folder, "c.yml", text)).pool(null);
        String shown = new StatusTable(pool, List.of(reading), List.of()).json().toString();
        assertTrue(shown.contains("role=?"), shown);
    }

    private static void found(String info, String what) {
        String all = String.join("\n", examined(info).stream().map(Finding::what).toList());
        assertTrue(all.contains(what), all);
    }

    @Test
    void whatANodeSaysOfItselfIsExamined() {
        String well = "redis_version:7.2.4\r\n";
        assertEquals(List.of(), examined(well));
        found("", "is not redis");
        found("redis_version:5.0.1", "has redis 5.0.1");
        found(well + "role:slave\r\nmaster_link_status:up", "refuses writes");
        found(well + "role:slave\r\nmaster_link_status:down", "has lost its master");
        found(well + "loading:1", "is loading its file");
        found(
                well + "maxmemory:100\r\nused_memory:95\r\nmaxmemory_policy:noeviction",
                "uses 95.0 % of its maxmemory and evicts nothing");
        found(
                well + "maxmemory:100\r\nmaxmemory_policy:volatile-lru\r\ndb0:keys=5,expires=0",
                "evicts only keys that expire");
        found(well + "evicted_keys:1234", "has evicted 1,234 keys");
        found(well + "rdb_last_bgsave_status:err", "could not save its file");
        found(well + "aof_last_write_status:err", "could not write its append-only file");
        found(well + "aof_enabled:0", "has saved nothing");
        found(well + "rejected_connections:3", "has refused 3 connections");
        found(well + "maxclients:10\r\nconnected_clients:9", "has 9 connections of at most 10");
        found(
                well + "used_memory:999999999\r\nmem_fragmentation_ratio:2.5",
                "takes 2.5 times the memory");
    }

    @Test
    void connectionsWithAnotherConfigurationAreFound() throws Exception {
        ServerPool pool =
                ConfigFile.read(
                                Ran.file(
                                        folder,
                                        "b.yml",
                                        "a:\n  engine: redis\n  servers:\n   - h:1\n"))
                        .pool(null);
        String list =
                "id=1 addr=10.0.0.9:1 name=onehop:a:00000000 flags=N cmd=get\n"
                        + "id=2 addr=10.0.0.9:2 name=onehop:b:00000000 flags=N cmd=get\n"
                        + "id=3 addr=10.0.0.9:3 name= flags=O cmd=monitor\n"
                        + "id=4 addr=10.0.0.8:3 name= flags=S cmd=replconf\n"
                        + "id=5 addr=10.0.0.7:3 name=sentinel-0a1b-cmd flags=N cmd=ping\n"
                        + "id=6 addr=10.0.0.9:4 name=onehop:a:b:00000000 flags=N cmd=get\n";
        List<String> found =
                ClientList.findings("n", pool, list).stream().map(Finding::what).toList();
        assertEquals(
                List.of(
                        "has 1 MONITOR, which costs half of its speed",
                        "has connections with another configuration of this server pool: 1 of"
                                + " onehop:a:00000000",
                        "has connections that are not OneHop's: 1 of 10.0.0.9"),
                found);
    }
}
