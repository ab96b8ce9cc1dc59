package io.onehop.core.cluster;

import io.onehop.core.base.Message;
import io.onehop.core.cluster.ClusterNodes.ToldNode;
import io.onehop.core.cluster.ClusterValues.Kind;

import java.util.function.Predicate;

/**
 * Reads the two forms of a map. CLUSTER SHARDS (7.0 and later) lists shards, each with its slots
 * and with its nodes, which are pairs of name and value. CLUSTER SLOTS lists ranges of slots, each
 * with its nodes, the owner first.
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
            throw new ClusterException(Message.MAP_IS_ERROR.what());
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
            throw new ClusterException(Message.MAP_SHAPE.what());
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

    /** Reads a shard: first its nodes, then its slots, in whichever order the shard has them. */
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
        int after = values.position();
        values.goTo(slots);
        claimSlots(owner);
        values.goTo(after);
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
     * The nodes of one shard. The owner of its slots is the first master that is online, or if none
     * is, the first master. After a failover some servers list the lost master and the new one.
     */
    private int takeShardNodes(int before) throws ClusterException {
        long count = list();
        int start = values.position();
        int owner = before;
        boolean hasOnline = false;
        for (long i = 0; i < count; i++) {
            ToldNode entry = takeShardNode();
            int index = nodes.add(entry);
            boolean isBetter = owner == ClusterNodes.NOBODY || !hasOnline && !entry.isFailing;
            if (entry.isMaster && index != ClusterNodes.NOBODY && isBetter) {
                owner = index;
                hasOnline = !entry.isFailing;
            }
        }
        values.goTo(start);
        for (long i = 0; i < count; i++) {
            ToldNode entry = takeShardNode();
            int index = nodes.add(entry);
            if (!entry.isMaster) {
                nodes.follow(index, owner);
            }
        }
        return owner;
    }

    private ToldNode takeShardNode() throws ClusterException {
        ToldNode entry = new ToldNode();
        long count = list();
        for (long i = 0; i + 1 < count; i += 2) {
            takeField(name(), entry);
        }
        require(count % 2 == 0);
        return entry;
    }

    private void takeField(String name, ToldNode entry) throws ClusterException {
        switch (name) {
            case "id" -> entry.id = text();
            case "port" -> entry.port = number();
            case "ip" -> entry.address = text();
            case "endpoint" -> {
                entry.hasEndpoint = true;
                entry.endpoint = text();
            }
            case "availability-zone" -> entry.zone = text();
            case "role" -> entry.isMaster |= isText("master"::equals);
            case "health" -> {
                String health = text();
                entry.isFailing |= !health.equals("online");
                entry.isLoading |= health.equals("loading");
            }
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
     * Address, port, and from later servers an id and pairs of further names. The port is for
     * connections of the kind that asked: plain or TLS.
     */
    private ToldNode takeRangeNode() throws ClusterException {
        ToldNode entry = new ToldNode();
        long count = list();
        require(count >= 2);
        entry.hasEndpoint = true;
        entry.endpoint = text();
        entry.port = number();
        if (count > 2) {
            entry.id = text();
        }
        if (count > 3) {
            takeMetadata(entry);
        }
        for (long i = 4; i < count; i++) {
            skip();
        }
        return entry;
    }

    private void takeMetadata(ToldNode entry) throws ClusterException {
        long count = list();
        for (long i = 0; i + 1 < count; i += 2) {
            switch (name()) {
                case "ip" -> entry.address = text();
                case "availability-zone" -> entry.zone = text();
                default -> skip();
            }
        }
        require(count % 2 == 0);
    }
}
