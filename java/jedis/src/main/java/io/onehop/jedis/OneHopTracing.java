package io.onehop.jedis;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import io.onehop.core.Node;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.route.CallObserver;
import io.onehop.jedis.internal.snapshot.Snapshot;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.exceptions.JedisDataException;

import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A span of every call and every batch, by Micrometer Observation: {@code
 * OneHopClient.builder().tracing(new OneHopTracing(registry))}. Names and attributes are those of
 * OpenTelemetry's conventions for Redis.
 *
 * <p>A span has the name of the command ({@code GET}), or of the batch ({@code PIPELINE GET},
 * {@code MULTI}). It never contains a key or a value. Therefore the event of a failure contains no
 * message of a node and no stack, only the kind of the failure. Subscriptions have no spans.
 * docs/operations.md lists the attributes. Implements spec/meter, section 6.
 *
 * <p>Micrometer is an optional dependency; only this class and {@link OneHopMetrics} need it. In a
 * client without tracing, a call only compares a field with {@code null}. Any thread; one object
 * may serve several clients.
 */
@SuppressWarnings("exports") // A program that is a module and has Micrometer requires it itself.
public final class OneHopTracing {
    private static final String NAME = "onehop.call";

    private final ObservationRegistry registry;

    /**
     * Makes spans for the clients that get this object.
     *
     * @param registry the observations go to its handlers
     */
    public OneHopTracing(ObservationRegistry registry) {
        this.registry = registry;
    }

    /** The observer that a client calls. */
    CallObserver observer() {
        return new Observer(registry);
    }

    private record Observer(ObservationRegistry registry) implements CallObserver {
        @Override
        public <T> T observe(
                Snapshot snapshot, String operation, int commands, Supplier<T> supplier) {
            Call call = new Call();
            Observation observation =
                    Observation.createNotStarted(NAME, () -> call, registry)
                            .contextualName(operation)
                            .lowCardinalityKeyValue("db.system.name", "redis")
                            .lowCardinalityKeyValue("db.operation.name", operation)
                            .lowCardinalityKeyValue(
                                    "db.namespace", String.valueOf(snapshot.database()))
                            .lowCardinalityKeyValue("onehop.pool", snapshot.pool().name());
            if (commands > 1) {
                observation.highCardinalityKeyValue(
                        "db.operation.batch.size", String.valueOf(commands));
            }
            Observation.Scope scope = observation.start().openScope();
            try {
                return supplier.get();
            } catch (Throwable thrown) {
                call.failed(thrown, snapshot);
                throw thrown;
            } finally {
                scope.close();
                call.describe(observation);
                observation.stop();
            }
        }

        @Override
        public void asks(Pool node, int nodes) {
            Observation current = registry.getCurrentObservation();
            if (current != null && current.getContextView() instanceof Call call) {
                call.asks(node.endpoint().node(), nodes);
            }
        }
    }

    /** One call while it runs, and what its span says of it. */
    private static final class Call extends SenderContext<Void> {
        /* The first word of an error reply, if the node sent a code. */
        private static final Pattern CODE = Pattern.compile("[A-Z][A-Z0-9_]*(?= |$)");

        // The node that was asked last, or that failed; null: several nodes, or none.
        private @Nullable Node node;
        private int nodes; // The largest number of nodes that were asked in parallel.
        private @Nullable String code; // The code of an error reply; null: none.
        private @Nullable Failed failure;

        /** No context is sent along, because the protocol has no room for it. */
        Call() {
            super((carrier, key, value) -> {}, Kind.CLIENT);
        }

        void asks(Node asked, int count) {
            nodes = Math.max(nodes, count);
            node = nodes == 1 ? asked : null;
        }

        void failed(Throwable thrown, Snapshot snapshot) {
            if (thrown instanceof OneHopException known) {
                failure = new Failed(known.getKind().label(), known.outcome().phrase());
                Node named =
                        known.getNode() == null ? null : snapshot.topology().find(known.getNode());
                node = named == null ? node : named;
            } else if (thrown instanceof JedisDataException answer) {
                Matcher first = CODE.matcher(String.valueOf(answer.getMessage()));
                code = first.lookingAt() ? first.group() : null;
                failure = new Failed(code == null ? "_OTHER" : code, "the node answered an error");
            } else {
                failure = new Failed(thrown.getClass().getName(), "the call was not completed");
            }
        }

        void describe(Observation observation) {
            if (nodes > 1) {
                observation.highCardinalityKeyValue("onehop.nodes", String.valueOf(nodes));
            }
            if (node != null) {
                String host = node.host();
                observation.highCardinalityKeyValue("onehop.node", node.name());
                observation.highCardinalityKeyValue(
                        "server.address", host == null ? node.address() : host);
                if (host != null) {
                    observation.highCardinalityKeyValue("server.port", String.valueOf(node.port()));
                }
            }
            if (code != null) {
                observation.highCardinalityKeyValue("db.response.status_code", code);
            }
            if (failure != null) {
                observation.highCardinalityKeyValue("error.type", failure.type);
                observation.error(failure);
            }
        }
    }

    /** A failure without the message, the causes and the stack of what was thrown. */
    private static final class Failed extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final String type;

        Failed(String type, String outcome) {
            super(type + ": " + outcome, null, false, false);
            this.type = type;
        }
    }
}
