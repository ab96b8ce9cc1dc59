package io.onehop.core.cluster;

import io.onehop.core.cluster.ClusterValues.Kind;

import java.util.function.Predicate;

/**
 * Reads the two forms of a map. CLUSTER SHARDS (7.0 and later) has shards, each with its slots and
 * its nodes as pairs of name and value. CLUSTER SLOTS has ranges, each with its nodes, the owner
 * first.
 *
 * <p>Unknown names are skipped, because later servers will add some. Implements
 * spec/topology/cluster.md, sections 1 and 2.
 */
final class ClusterReply {
    private final ClusterValues values;
    private final ClusterNodes nodes;

    private ClusterReply(byte[] reply, ClusterNodes nodes) {
        this.values = new ClusterValues(reply);
        this.nodes = nodes;
    }

    static void read(byte[] reply, ClusterNodes nodes) throws ClusterException {
        new ClusterReply(reply, nodes).readAll();
    }

    private void readAll() throws ClusterException {
        require(values.take());
        if (values.kind == Kind.ERROR) {
            throw new ClusterException("the node answered with an error");
        }
        require(values.kind == Kind.LIST);
        long elements = values.number;
        for (long i = 0; i < elements; i++) {
            long fields = list();
            if (values.isAtNumber()) {
                takeRange(fields);
            } else {
                takeShard(fields);
            }
        }
        require(values.hasEnded());
    }

    private static void require(boolean isRight) throws ClusterException {
        if (!isRight) {
            throw new ClusterException("the reply is not that of CLUSTER SHARDS or CLUSTER SLOTS");
        }
    }

    private long list() throws ClusterException {
        require(values.take() && values.kind == Kind.LIST);
        return values.number;
    }

    private String name() throws ClusterException {
        require(values.take() && values.kind == Kind.TEXT);
        return values.text;
    }

    private String text() throws ClusterException {
        require(values.take() && (values.kind == Kind.TEXT || values.kind == Kind.NIL));
        return values.text;
    }

    private long number() throws ClusterException {
        require(values.take() && values.kind == Kind.NUMBER);
        return values.number;
    }

    private void skip() throws ClusterException {
        require(values.skip());
    }

    /** Reads the slots after the nodes, wherever they are in the shard. */
    private void takeShard(long fields) throws ClusterException {
        int owner = ClusterNodes.NOBODY;
        int slots = -1;
        for (long i = 0; i + 1 < fields; i += 2) {
            String name = name();
            if (name.equals("nodes")) {
                owner = takeShardNodes(owner);
                continue;
            }
            if (name.equals("slots")) {
                slots = values.position();
            }
            skip();
        }
        require(fields % 2 == 0 && slots >= 0);
        int behind = values.position();
        values.goTo(slots);
        claimSlots(owner);
        values.goTo(behind);
    }

    private void claimSlots(int owner) throws ClusterException {
        long count = list();
        for (long i = 0; i + 1 < count; i += 2) {
            long first = number();
            nodes.claim(first, number(), owner);
        }
        require(count % 2 == 0);
    }

    /**
     * The nodes of one shard. Its owner is the first master that is online, or else the first
     * master. After a failover some servers list the lost master and the new one.
     */
    private int takeShardNodes(int before) throws ClusterException {
        long count = list();
        int start = values.position();
        int owner = before;
        boolean hasOnline = false;
        for (long i = 0; i < count; i++) {
            ClusterNode told = takeShardNode();
            int index = nodes.add(told);
            boolean isBetter = owner == ClusterNodes.NOBODY || !hasOnline && !told.isFailing;
            if (told.isMaster && index != ClusterNodes.NOBODY && isBetter) {
                owner = index;
                hasOnline = !told.isFailing;
            }
        }
        values.goTo(start);
        for (long i = 0; i < count; i++) {
            ClusterNode told = takeShardNode();
            int index = nodes.add(told);
            if (!told.isMaster) {
                nodes.follow(index, owner);
            }
        }
        return owner;
    }

    private ClusterNode takeShardNode() throws ClusterException {
        ClusterNode told = new ClusterNode();
        long count = list();
        for (long i = 0; i + 1 < count; i += 2) {
            takeField(name(), told);
        }
        require(count % 2 == 0);
        return told;
    }

    private void takeField(String name, ClusterNode told) throws ClusterException {
        switch (name) {
            case "id" -> told.id = text();
            case "port" -> told.port = number();
            case "ip" -> told.address = text();
            case "endpoint" -> {
                told.hasEndpoint = true;
                told.endpoint = text();
            }
            case "availability-zone" -> told.zone = text();
            case "role" -> told.isMaster |= isText("master"::equals);
            case "health" -> told.isFailing |= !isText("online"::equals);
            default -> skip();
        }
    }

    private boolean isText(Predicate<String> isSuch) throws ClusterException {
        return isSuch.test(text());
    }

    private void takeRange(long elements) throws ClusterException {
        require(elements >= 2);
        long first = number();
        long last = number();
        int owner = ClusterNodes.NOBODY;
        for (long i = 2; i < elements; i++) {
            int index = nodes.add(takeRangeNode());
            if (i == 2) {
                owner = index;
            } else {
                nodes.follow(index, owner);
            }
        }
        nodes.claim(first, last, owner);
    }

    /**
     * Address, port, and from later servers an id and pairs of further names. The port is the one
     * for the kind of connection that asked.
     */
    private ClusterNode takeRangeNode() throws ClusterException {
        ClusterNode told = new ClusterNode();
        long count = list();
        require(count >= 2);
        told.hasEndpoint = true;
        told.endpoint = text();
        told.port = number();
        if (count > 2) {
            told.id = text();
        }
        if (count > 3) {
            takeMetadata(told);
        }
        for (long i = 4; i < count; i++) {
            skip();
        }
        return told;
    }

    private void takeMetadata(ClusterNode told) throws ClusterException {
        long count = list();
        for (long i = 0; i + 1 < count; i += 2) {
            switch (name()) {
                case "ip" -> told.address = text();
                case "availability-zone" -> told.zone = text();
                default -> skip();
            }
        }
        require(count % 2 == 0);
    }
}
