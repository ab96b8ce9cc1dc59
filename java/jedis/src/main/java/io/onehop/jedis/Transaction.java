package io.onehop.jedis;

import io.onehop.core.base.Message;
import io.onehop.core.resp.WireException;
import io.onehop.jedis.internal.batch.Reply;
import io.onehop.jedis.internal.command.Commands;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.connection.NodeConnection;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.request.RequestBuffer;
import io.onehop.jedis.internal.route.CallObserver.BatchName;
import io.onehop.jedis.internal.route.CurrentRoute;
import io.onehop.jedis.internal.route.Held;
import io.onehop.jedis.internal.route.Route;
import io.onehop.jedis.internal.route.TransactionBinding;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.CommandObjects;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;
import redis.clients.jedis.util.SafeEncoder;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A transaction: commands of one node that are executed together or not at all.
 *
 * <p>The first key, whether it is watched or in a command, binds the transaction to the node of
 * that key. A key of another node is refused, and after MULTI the refusal discards the transaction:
 * nothing of it is executed. {@code multi()} sends nothing. {@code exec()} sends MULTI and, after
 * its OK, the commands and EXEC in one write. So no connection is used while the caller queues
 * commands. Only WATCH keeps a connection, until {@code exec()}, {@code discard()}, {@code
 * unwatch()} or {@code close()}. For one thread.
 */
final class Transaction extends AbstractTransaction {
    /*
     * If the connection that watches keys is lost, nothing shows any more whether they have
     * changed. So every later call is refused with the same cause, until the caller ends this
     * transaction. Nothing is ever sent a second time.
     */
    private static final CommandArguments EXEC = new CommandArguments(Command.EXEC);

    private final CurrentRoute current;
    private final List<Reply<?>> queued = new ArrayList<>();
    // Keys of the queued commands that move from another ring.
    private List<byte[]> moving = List.of();
    // The queued commands, encoded, so the caller may change its arrays afterwards.
    private @Nullable RequestBuffer requests;
    private @Nullable BatchName name; // Null if nothing is queued, or calls are not observed.
    // From the first command to the end; null before the first command.
    private @Nullable Route route;
    private @Nullable TransactionBinding binding;
    private @Nullable Held held;
    private @Nullable OneHopException lost;
    // The first refused call. Nothing is executed after it.
    private @Nullable OneHopException refused;
    private boolean isOpen;

    /** A transaction that is open, or one that waits for {@link #multi}. */
    Transaction(CommandObjects commandObjects, CurrentRoute current, boolean isOpen) {
        super(commandObjects);
        this.current = current;
        this.isOpen = isOpen;
    }

    /* ---- WATCH ---- */

    @Override
    public String watch(String... keys) {
        return watch(commandObjects.watch(keys));
    }

    @Override
    public String watch(byte[]... keys) {
        return watch(commandObjects.watch(keys));
    }

    private String watch(CommandObject<String> command) {
        require(!isOpen, "WATCH inside MULTI");
        Route route = unharmed();
        TransactionBinding next =
                Objects.requireNonNull(next(command.getArguments(), route), "WATCH names a key");
        return route.observed("WATCH", 1, () -> watch(command, next, route));
    }

    private String watch(CommandObject<String> command, TransactionBinding next, Route route) {
        Deadline deadline = route.runner().deadline();
        bring(command.getArguments(), route, deadline);
        if (held != null) {
            return call(route, deadline, connection -> connection.executeCommand(command));
        }
        hold(next.pool(), route, deadline);
        try {
            String status = call(route, deadline, connection -> connection.executeCommand(command));
            binding = next;
            return status;
        } finally {
            if (binding == null) {
                release(lost == null);
            }
        }
    }

    /** Brings the keys before they are watched. A key that arrived later would look changed. */
    private void bring(CommandArguments arguments, Route route, Deadline deadline) {
        bring(route.withMoving(arguments, List.of()), route, deadline);
    }

    /**
     * If the transaction holds a connection, this may open a second one to the same node, beyond
     * the pool's size.
     */
    private void bring(List<byte[]> keys, Route route, Deadline deadline) {
        route.bring(keys, held == null ? null : held.pool(), deadline);
    }

    @Override
    public String unwatch() {
        require(!isOpen, "UNWATCH inside MULTI");
        forget();
        return "OK";
    }

    /* ---- Commands ---- */

    @Override
    public void multi() {
        require(!isOpen, "MULTI inside MULTI");
        isOpen = true;
    }

    @Override
    protected <T> Response<T> appendCommand(CommandObject<T> command) {
        Route route = unharmed();
        if (!isOpen) {
            return executed(command, route);
        }
        requirePlaced(command.getArguments(), route);
        Reply<T> reply = new Reply<>(command.getBuilder());
        if (requests == null) {
            requests =
                    new RequestBuffer(
                            (binding == null ? route.anyPool() : binding.pool()).buffers());
            name = route.batchName("MULTI");
        }
        requests.append(command.getArguments());
        queued.add(reply);
        if (name != null) {
            name.add(command.getArguments());
        }
        return reply;
    }

    /** A refused command ends the transaction, as an error does while a node queues commands. */
    private void requirePlaced(CommandArguments arguments, Route route) {
        try {
            binding = next(arguments, route);
            moving = route.withMoving(arguments, moving);
        } catch (OneHopException refusal) {
            refused = refusal;
            throw refusal;
        }
    }

    private @Nullable TransactionBinding next(CommandArguments arguments, Route route) {
        Pool node = held == null ? null : held.pool();
        return TransactionBinding.next(binding, arguments, route.snapshot(), route.intake(), node);
    }

    /** Between WATCH and MULTI a command is answered immediately. */
    private <T> Response<T> executed(CommandObject<T> command, Route route) {
        try {
            return Response.of(answered(command, route));
        } catch (JedisDataException answer) {
            return Response.error(answer);
        }
    }

    /**
     * A command for the watched node uses the connection that watches. A blocking command does not,
     * because it has another deadline.
     */
    private <T> @Nullable T answered(CommandObject<T> command, Route route) {
        CommandArguments arguments = command.getArguments();
        route.intake().check(command);
        if (held == null
                || binding == null
                || arguments.isBlocking()
                || !route.isOn(binding, arguments)) {
            return route.executeCommand(command);
        }
        Deadline deadline = route.runner().deadline();
        bring(arguments, route, deadline);
        try {
            return route.observed(
                    Commands.name(arguments),
                    1,
                    () -> call(route, deadline, connection -> connection.executeCommand(command)));
        } catch (JedisNoScriptException lost) {
            // The command has not run. The route sends the script to the node, and then the
            // command again.
            return route.executeCommand(command);
        }
    }

    /* ---- The end ---- */

    /**
     * Executes what was queued. Every Response then has its value or the error its node answered,
     * or throws the failure.
     *
     * @return the replies in order, an error as a {@link JedisDataException}; {@code null} if a
     *     watched key had changed, so nothing was executed
     */
    @Override
    public @Nullable List<Object> exec() {
        require(isOpen, "EXEC without MULTI");
        boolean isForgotten = false;
        try {
            Route route = unharmed();
            require(
                    requests == null || requests.count() == queued.size(),
                    "EXEC after an Error while queueing");
            if (queued.isEmpty() && held == null) {
                return new ArrayList<>();
            }
            List<Object> replies =
                    route.observed(
                            name == null ? "MULTI" : name.toString(),
                            queued.size(),
                            () -> run(route));
            isForgotten = true;
            return replies;
        } catch (OneHopException failure) {
            queued.forEach(each -> each.fail(failure));
            throw failure;
        } catch (JedisDataException answer) {
            isForgotten = Failure.text(answer).startsWith("EXECABORT");
            throw answer;
        } finally {
            try {
                end(isForgotten);
            } finally {
                if (held != null) { // Settling needs stack; this does not.
                    held.holder.isOver = true;
                    held = null;
                }
            }
        }
    }

    private List<Object> run(Route route) {
        Deadline deadline = route.runner().deadline();
        try {
            bring(moving, route, deadline);
        } catch (JedisDataException answer) {
            throw refused(answer);
        }
        if (held == null) {
            hold(binding == null ? route.anyPool() : binding.pool(), route, deadline);
        }
        return call(route, deadline, this::begin, this::exchange);
    }

    /** Nothing was executed, because a node had refused a command. */
    private JedisDataException refused(JedisDataException answer) {
        queued.forEach(each -> each.set(answer));
        return answer;
    }

    /**
     * Sends MULTI alone and waits for its OK. If the commands were sent with it, a node that
     * refuses MULTI would execute them one by one.
     */
    private void begin(NodeConnection connection) {
        try {
            Object answer = connection.executeCommand(Command.MULTI);
            if (!(answer instanceof byte[] text) || !SafeEncoder.encode(text).equals("OK")) {
                throw violation(Message.UNEXPECTED_FORM, connection);
            }
        } catch (JedisDataException answer) {
            throw refused(answer);
        }
    }

    private @Nullable List<Object> exchange(NodeConnection connection) {
        if (requests == null) { // Keys are watched, and nothing is queued.
            connection.sendCommand(EXEC);
        } else {
            requests.append(EXEC);
            connection.send(requests, queued.size() + 1);
        }
        List<Object> answers = connection.getMany(queued.size() + 1);
        Object last = answers.get(queued.size());
        if (last instanceof JedisDataException aborted) {
            throw aborted(aborted, answers);
        }
        return last == null ? null : settled(last, connection);
    }

    /**
     * Nothing was executed, because the node refused a command when it was queued. That error is
     * attached.
     */
    private JedisDataException aborted(JedisDataException aborted, List<Object> answers) {
        for (int i = 0; i < queued.size(); i++) {
            Object answer = answers.get(i);
            queued.get(i).set(answer instanceof JedisDataException ? answer : aborted);
            if (answer instanceof JedisDataException cause) {
                aborted.addSuppressed(cause);
            }
        }
        return aborted;
    }

    private List<Object> settled(Object replies, NodeConnection connection) {
        if (!(replies instanceof List<?> list) || list.size() != queued.size()) {
            throw violation(Message.EXEC_SHORT, connection);
        }
        List<Object> outcomes = new ArrayList<>(list.size());
        for (int i = 0; i < list.size(); i++) {
            Reply<?> reply = queued.get(i);
            reply.set(list.get(i));
            outcomes.add(reply.outcome());
        }
        return outcomes;
    }

    private static JedisConnectionException violation(Message what, NodeConnection connection) {
        connection.setBroken();
        return new JedisConnectionException(new WireException(what));
    }

    @Override
    public String discard() {
        require(isOpen, "DISCARD without MULTI");
        forget();
        return "OK";
    }

    /** Discards what is queued and forgets what is watched. */
    @Override
    public void close() {
        forget();
    }

    /**
     * Sends UNWATCH if keys are watched. If the node does not answer, closing the connection has
     * the same effect.
     */
    private void forget() {
        Route begun = route;
        boolean isForgotten = false;
        try {
            isForgotten =
                    held != null
                            && begun != null
                            && begun.observed("UNWATCH", 1, () -> sendUnwatch(begun)) != null;
        } catch (OneHopException | JedisDataException closed) {
            isForgotten = false;
        } finally {
            try {
                end(isForgotten);
            } finally {
                if (held != null) {
                    held.holder.isOver = true;
                    held = null;
                }
            }
        }
    }

    private Object sendUnwatch(Route route) {
        return call(
                route,
                route.runner().deadline(),
                connection -> connection.executeCommand(Command.UNWATCH));
    }

    private void end(boolean isForgotten) {
        release(isForgotten);
        forgetQueued();
        route = null;
        binding = null;
        lost = null;
        refused = null;
        isOpen = false;
    }

    private void forgetQueued() {
        RequestBuffer sent = requests;
        // Cleared first: memory that was given back twice would be used by two callers.
        requests = null;
        name = null;
        queued.clear();
        moving = List.of();
        if (sent != null) {
            sent.release();
        }
    }

    /* ---- The connection ---- */

    private void hold(Pool node, Route route, Deadline deadline) {
        route.asks(node);
        held = new Held(node, this, deadline);
    }

    private <T> T call(Route route, Deadline deadline, Function<NodeConnection, T> exchange) {
        return call(route, deadline, connection -> {}, exchange);
    }

    private <T> T call(
            Route route,
            Deadline deadline,
            Consumer<NodeConnection> lead,
            Function<NodeConnection, T> exchange) {
        Held open = Objects.requireNonNull(held, "hold() comes first");
        route.asks(open.pool());
        try {
            return open.call(deadline, lead, exchange);
        } catch (JedisDataException answer) {
            OneHopException failure = route.redirected(answer, open.pool());
            throw failure == null ? answer : lost(failure);
        } catch (OneHopException failure) {
            route.failed(failure);
            throw lost(failure);
        }
    }

    private OneHopException lost(OneHopException failure) {
        lost = failure;
        release(false);
        return failure;
    }

    private void release(boolean isForgotten) {
        if (held != null) {
            held.settle(isForgotten);
            held = null;
        }
    }

    /**
     * The route of the transaction, from the first command to the end. Throws if the watching
     * connection was lost or a call was refused.
     */
    private Route unharmed() {
        Route taken = route == null ? current.take() : route;
        route = taken;
        if (lost != null) {
            throw lost;
        }
        if (refused != null) {
            throw Failure.again(refused, Message.DISCARDED.what(Failure.text(refused)));
        }
        return taken;
    }

    private static void require(boolean isSo, String otherwise) {
        if (!isSo) {
            throw new IllegalStateException(otherwise);
        }
    }
}
