package io.onehop.jedis.internal.connection;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.base.Message;
import io.onehop.core.topology.Directive;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.failure.NodeName;
import io.onehop.jedis.internal.failure.Shown;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.RedisCredentials;
import redis.clients.jedis.RedisCredentialsProvider;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.SafeEncoder;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What a new connection sends before the first command, and what the answers mean.
 *
 * <p>In: a server pool, and the builder's credentials if it was given some. Out: the commands of
 * the handshake, sent in one piece, and a verdict on each answer. The last command is always PING,
 * or VERSION if the node is to be SSDB. So a node that is full, locked or of another kind says so
 * here. Otherwise that answer would come in place of the reply to a command of the caller. There is
 * no HELLO, so servers that know only RESP2 are also served. Before the last command there is the
 * introduction, which says who uses the connection. Implements spec/config, section 11, and
 * spec/wire, section 8.
 */
public final class Handshake {
    /** The client has chosen no database. */
    public static final int OWN_DATABASE = -1;

    /*
     * nutcracker sends SELECT before AUTH and ignores both answers. So if a node demands a
     * password, it refuses the SELECT and the data are in database 0. On a unix socket
     * nutcracker sends no SELECT at all. redis_db does exactly that. OneHop's own directive,
     * database, does what its name says.
     */
    private interface Verdict {
        /**
         * Judges an answer by its text, or the first text of a list, and by whether it is an error.
         */
        void on(String answer, boolean isError, NodeName node);
    }

    private record Step(Supplier<CommandArguments> command, Verdict verdict) {
        Step(CommandArguments command, Verdict verdict) {
            this(() -> command, verdict);
        }
    }

    private static final String LIBRARY = "onehop-java";
    private static final String LIBRARY_VERSION = version();

    /*
     * Only SSDB knows VERSION. So a redis that was taken for an SSDB is found out here, before it
     * gets commands meant for SSDB.
     */
    private static final byte[] VERSION = SafeEncoder.encode("VERSION");

    private final List<Step> steps = new ArrayList<>();
    private final NodeName node;
    private final int introduction; // The number of the first step of the introduction.
    private volatile String name = "";

    /**
     * {@code chosen} is the database that the client has chosen in place of the server pool's. It
     * is {@link #OWN_DATABASE} if the client has chosen none.
     */
    public Handshake(
            ServerPool pool,
            Endpoint endpoint,
            @Nullable Supplier<RedisCredentials> credentials,
            int chosen) {
        this.node = endpoint.nodeName();
        if (chosen == OWN_DATABASE && pool.redisDb() > 0 && !endpoint.isUnix() && !pool.ssdb()) {
            steps.add(new Step(select(pool.redisDb()), Handshake::carryOn));
        }
        if (credentials != null) {
            steps.add(new Step(() -> auth(credentials), Handshake::authenticated));
        } else if (pool.redisAuth() != null) {
            steps.add(
                    new Step(
                            auth(pool.text(Directive.USERNAME), pool.redisAuth()),
                            Handshake::authenticated));
        }
        if (chosen == OWN_DATABASE && pool.database() > 0) {
            steps.add(new Step(select(pool.database()), Handshake::selected));
        }
        if (chosen > 0) { // A new connection is in database 0.
            steps.add(
                    new Step(
                            select(chosen),
                            (answer, isError, its) -> chosen(answer, isError, chosen)));
        }
        if (pool.cluster() && pool.asksReplicas()) {
            steps.add(new Step(new CommandArguments(Command.READONLY), Handshake::readable));
        }
        if (!pool.sentinels().isEmpty() && !endpoint.isReplica()) {
            steps.add(new Step(new CommandArguments(Command.ROLE), Handshake::master));
        }
        introduction = steps.size();
        if (!pool.ssdb()) {
            steps.add(new Step(() -> client("SETNAME", name), Handshake::carryOn));
            steps.add(new Step(client("SETINFO", "lib-name", LIBRARY), Handshake::carryOn));
            steps.add(new Step(client("SETINFO", "lib-ver", LIBRARY_VERSION), Handshake::carryOn));
        }
        steps.add(
                pool.ssdb()
                        ? new Step(new CommandArguments(() -> VERSION), Handshake::recognized)
                        : new Step(new CommandArguments(Command.PING), Handshake::alive));
    }

    private static CommandArguments client(String... words) {
        CommandArguments command = new CommandArguments(Command.CLIENT);
        for (String word : words) {
            command.add(word);
        }
        return command;
    }

    /** From now on connections introduce themselves by this name. */
    public void name(String now) {
        name = now;
    }

    /** The name for new connections. */
    String name() {
        return name;
    }

    /** The first step that a connection repeats when its name has changed. */
    int introduction() {
        return introduction;
    }

    private static CommandArguments select(int database) {
        return new CommandArguments(Command.SELECT).add(database);
    }

    private static CommandArguments auth(@Nullable String username, String password) {
        CommandArguments auth = new CommandArguments(Command.AUTH);
        return username == null ? auth.add(password) : auth.add(username).add(password);
    }

    /*
     * Gets the credentials as Jedis does: prepare, get, clean up. The text of an exception may
     * contain a secret.
     */
    private CommandArguments auth(Supplier<RedisCredentials> credentials) {
        RedisCredentialsProvider provider =
                credentials instanceof RedisCredentialsProvider its ? its : credentials::get;
        try {
            provider.prepare();
            try {
                RedisCredentials given = provider.get();
                if (given != null && given.getPassword() != null) {
                    return auth(given.getUser(), new String(given.getPassword()));
                }
            } finally {
                provider.cleanUp();
            }
        } catch (RuntimeException failed) {
            throw unavailable(failed.getClass().getName());
        }
        throw unavailable(Message.NO_CREDENTIALS.what());
    }

    private OneHopException unavailable(String reason) {
        return Failure.of(Message.CREDENTIALS_FAILED, node, Outcome.NOT_SENT, null, reason);
    }

    /** The version of this library. */
    private static String version() {
        try (InputStream file =
                Handshake.class.getResourceAsStream("/io/onehop/jedis/pom.properties")) {
            Properties properties = new Properties();
            if (file != null) {
                properties.load(file);
            }
            return properties.getProperty("version", "unknown");
        } catch (IOException | IllegalArgumentException unreadable) {
            return "unknown";
        }
    }

    int size() {
        return steps.size();
    }

    /** The commands of this step and those after it. */
    Stream<CommandArguments> from(int step) {
        return steps.stream().skip(step).map(each -> each.command().get());
    }

    /** Judges the answer to a command of the handshake. Throws if the connection cannot serve. */
    void judge(int index, @Nullable Object reply) {
        boolean isError = reply instanceof JedisDataException;
        String answer =
                reply instanceof JedisDataException error ? Failure.text(error) : first(reply);
        if (isError && answer.toLowerCase(Locale.ROOT).startsWith("err max number of clients")) {
            throw Failure.of(
                    Message.TURNED_AWAY,
                    node,
                    Outcome.NOT_SENT,
                    new TurnedAway(Shown.of(answer)),
                    Shown.of(answer));
        }
        if (isError && answer.startsWith("DENIED ")) {
            throw refused(Message.PROTECTED_MODE, answer, node);
        }
        steps.get(index).verdict().on(answer, isError, node);
    }

    /** The first text of a list; empty for any other reply. */
    private static String first(@Nullable Object reply) {
        return reply instanceof List<?> list
                        && !list.isEmpty()
                        && list.get(0) instanceof byte[] text
                ? SafeEncoder.encode(text)
                : "";
    }

    private static OneHopException refused(Message message, String answer, NodeName node) {
        return Failure.of(message, node, Outcome.NOT_SENT, null, Shown.of(answer));
    }

    /**
     * Ignores the answer: to the SELECT for redis_db, as nutcracker does, and to an introduction.
     */
    private static void carryOn(String answer, boolean isError, NodeName node) {
        // Nothing depends on it.
    }

    private static void authenticated(String answer, boolean isError, NodeName node) {
        boolean isUnneeded =
                answer.contains("without any password configured")
                        || answer.contains("no password is set");
        if (isError && !isUnneeded) {
            throw refused(Message.PASSWORD_REFUSED, withoutArguments(answer), node);
        }
    }

    /** A node that does not know AUTH repeats what came with it: the user and the password. */
    private static String withoutArguments(String answer) {
        int echo = answer.indexOf(", with args");
        return echo < 0 ? answer : answer.substring(0, echo);
    }

    private static void selected(String answer, boolean isError, NodeName node) {
        if (isError) {
            throw refused(Message.DATABASE_REFUSED, answer, node);
        }
    }

    private void chosen(String answer, boolean isError, int database) {
        if (isError) {
            throw Failure.of(
                    Message.SELECT_REFUSED,
                    node,
                    Outcome.NOT_SENT,
                    null,
                    database,
                    Shown.of(answer));
        }
    }

    /** READONLY changes nothing on a master. */
    private static void readable(String answer, boolean isError, NodeName node) {
        if (isError && !answer.startsWith("NOAUTH") && !answer.startsWith("LOADING")) {
            throw refused(Message.READONLY_REFUSED, answer, node);
        }
    }

    /**
     * Requires a master. If the user may not ask for the role, the node answers an error; then the
     * Sentinels alone are believed.
     */
    private static void master(String answer, boolean isError, NodeName node) {
        if (!isError && !answer.equals("master")) {
            throw refused(
                    Message.NOT_MASTER, answer.isEmpty() ? Message.NO_ROLE.what() : answer, node);
        }
    }

    /** An SSDB returns its version. */
    private static void recognized(String answer, boolean isError, NodeName node) {
        alive(answer, isError, node);
        if (isError) {
            throw refused(Message.NOT_SSDB, answer, node);
        }
    }

    /**
     * Any answer shows that the node is alive, also NOPERM and LOADING. Only a missing password is
     * fatal.
     */
    private static void alive(String answer, boolean isError, NodeName node) {
        if (isError && answer.startsWith("NOAUTH")) {
            throw refused(Message.PASSWORD_MISSING, answer, node);
        }
    }

    /** The node is there, but accepts no more connections. */
    public static final class TurnedAway extends IOException {
        private static final long serialVersionUID = 1;

        TurnedAway(String answer) {
            super(answer);
        }
    }
}
