package io.onehop.jedis.lab;

import io.onehop.jedis.OneHopClient;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Nodes that claim to be a Redis Cluster, and do what the test says. Each node returns the current
 * map. It answers every other command with its own number and the key, unless {@link #behave} sets
 * another answer.
 */
public final class LyingCluster implements AutoCloseable {

    /** A node's answer as bytes, or {@code null} for the usual one. */
    @FunctionalInterface
    public interface Behaviour {
        String answer(int node, List<String> command, ScriptedNode.Talk talk) throws IOException;
    }

    private final List<ScriptedNode> nodes = new ArrayList<>();
    private volatile String map = "*0\r\n";
    private volatile Behaviour behaviour = (node, command, talk) -> null;

    /** A cluster in which each node has an equal share of the slots. */
    public LyingCluster(int count) {
        for (int i = 0; i < count; i++) {
            int number = i;
            nodes.add(ScriptedNode.start(talk -> serve(number, talk)));
        }
        StringBuilder ranges = new StringBuilder("*" + count + "\r\n");
        for (int i = 0; i < count; i++) {
            ranges.append(range(16384 * i / count, 16384 * (i + 1) / count - 1, i));
        }
        setMap(ranges.toString());
    }

    /** One range of CLUSTER SLOTS. The first of its nodes is its master. */
    public String range(int first, int last, int... owners) {
        StringBuilder range =
                new StringBuilder(
                        "*" + (2 + owners.length) + "\r\n:" + first + "\r\n:" + last + "\r\n");
        for (int owner : owners) {
            String id = "id-" + nodes.get(owner).port();
            range.append("*3\r\n$9\r\n127.0.0.1\r\n:")
                    .append(nodes.get(owner).port())
                    .append("\r\n$")
                    .append(id.length())
                    .append("\r\n")
                    .append(id)
                    .append("\r\n");
        }
        return range.toString();
    }

    /** The port of a node. */
    public int port(int node) {
        return nodes.get(node).port();
    }

    /** A shard of CLUSTER SHARDS. Each node is its port, its role and its health. */
    public static String shard(int first, int last, String... nodes) {
        StringBuilder shard =
                new StringBuilder("*4\r\n" + bulk("slots") + "*2\r\n:" + first + "\r\n:" + last);
        shard.append("\r\n" + bulk("nodes") + "*" + nodes.length + "\r\n");
        for (String node : nodes) {
            String[] words = node.split(" ");
            shard.append("*10\r\n" + bulk("port") + ":" + words[0] + "\r\n");
            shard.append(bulk("id") + bulk("id-" + words[0]) + bulk("ip") + bulk("127.0.0.1"));
            shard.append(bulk("role") + bulk(words[1]) + bulk("health") + bulk(words[2]));
        }
        return shard.toString();
    }

    /** The map that all nodes return from now on. */
    public void setMap(String reply) {
        map = reply;
    }

    public void behave(Behaviour other) {
        behaviour = other;
    }

    private void serve(int number, ScriptedNode.Talk talk) throws IOException {
        for (List<String> command : talk.commands()) {
            String answer = behaviour.answer(number, command, talk);
            talk.send(answer != null ? answer : ordinary(number, command));
        }
    }

    private String ordinary(int number, List<String> command) {
        return switch (command.get(0)) {
            case "PING" -> "+PONG\r\n";
            case "AUTH", "ASKING", "READONLY" -> "+OK\r\n";
            case "CLUSTER" ->
                    command.get(1).equals("INFO") ? "$25\r\ncluster_current_epoch:1\r\n\r\n" : map;
            default -> bulk(number + " " + command.get(1));
        };
    }

    public static String bulk(String text) {
        return "$" + text.length() + "\r\n" + text + "\r\n";
    }

    /** MOVED or ASK to a node. */
    public String to(String word, int slot, int node) {
        return "-" + word + " " + slot + " " + nodes.get(node).node() + "\r\n";
    }

    public OneHopClient client(String... directives) {
        String[] all = Arrays.copyOf(directives, directives.length + 1);
        all[directives.length] = "cluster: true";
        String config = Nodes.configOf(nodes.stream().limit(1).map(ScriptedNode::server), all);
        return Nodes.clientOf(config.replace("  hash: murmur\n", ""));
    }

    @Override
    public void close() {
        nodes.forEach(ScriptedNode::close);
    }
}
