/*
 * The directives `redis_db` and `database` differ in the order of commands. nutcracker sends the
 * SELECT of `redis_db` before AUTH, ignores an error, and never sends it to a unix socket. OneHop
 * does the same, so that a client that replaces nutcracker finds its data. The SELECT of `database`
 * always comes after AUTH and must succeed.
 */
#include "engine/pool/handshake.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "core/base/memory.h"
#include "core/resp/value.h"
#include "core/resp/write.h"

#include "engine/base/environment.h"

/* CLIENT SETNAME, and CLIENT SETINFO twice. */
#define OH_INTRODUCTION_COMMANDS 3
/* Room for a SELECT with the largest number. */
#define OH_SELECT_BYTES 40

/* ---- Text of the handshake ---- */

static void put_auth(oh_resp_sink sink, const oh_server_pool *pool)
{
    oh_resp_put_list(sink, pool->username.bytes ? 3 : 2);
    oh_resp_put_text(sink, "AUTH");
    if (pool->username.bytes) {
        oh_resp_put_word(sink, oh_text_bytes(pool->username));
    }
    oh_resp_put_word(sink, oh_text_bytes(pool->redis_auth));
}

static void put_select(oh_resp_sink sink, uint32_t database)
{
    oh_resp_put_list(sink, 2);
    oh_resp_put_text(sink, "SELECT");
    oh_resp_put_digits(sink, database);
}

static void put_command(oh_resp_sink sink, const char *name)
{
    oh_resp_put_list(sink, 1);
    oh_resp_put_text(sink, name);
}

static void put_client(oh_resp_sink sink, const char *verb, const char *field, const char *value)
{
    oh_resp_put_list(sink, field ? 4 : 3);
    oh_resp_put_text(sink, "CLIENT");
    oh_resp_put_text(sink, verb);
    if (field) {
        oh_resp_put_text(sink, field);
    }
    oh_resp_put_text(sink, value);
}

static void write_introduction(oh_resp_sink sink, const char *name)
{
    put_client(sink, "SETNAME", NULL, name);
    put_client(sink, "SETINFO", "lib-name", oh_surroundings.library);
    put_client(sink, "SETINFO", "lib-ver", oh_surroundings.version);
}

static void write_handshake(
    oh_resp_sink sink, oh_endpoint *endpoint, const oh_server_pool *pool, const oh_server *server)
{
    char *step = endpoint->steps;

    endpoint->database = 0;
    if (!pool->has_database && pool->redis_db > 0 && !endpoint->path && !pool->is_ssdb) {
        put_select(sink, pool->redis_db);
        endpoint->database = pool->redis_db;
        *step++ = OH_STEP_TRY_SELECT;
    }
    if (pool->redis_auth.bytes) {
        put_auth(sink, pool);
        *step++ = OH_STEP_AUTH;
    }
    if (pool->has_database && pool->database > 0) {
        put_select(sink, pool->database);
        endpoint->database = pool->database;
        *step++ = OH_STEP_SELECT;
    }
    if (pool->is_ssdb) { /* Detects SSDB: redis does not know VERSION. SSDB has no databases. */
        put_command(sink, "VERSION");
        *step++ = OH_STEP_VERSION;
    }
    if (pool->is_cluster && oh_server_pool_asks_replicas(pool)) {
        /* READONLY has no effect on a master. */
        put_command(sink, "READONLY");
        *step++ = OH_STEP_READONLY;
    }
    if (pool->sentinels.bytes && server->role != OH_REPLICA) {
        put_command(sink, "ROLE");
        *step++ = OH_STEP_ROLE;
    }
}

bool oh_handshake_set(
    oh_endpoint *endpoint, const oh_server_pool *pool, const oh_server *server, const char *name)
{
    oh_resp_room handshake = {.bytes = NULL}, introduction = {.bytes = NULL};

    /* This only computes the length. */
    write_handshake(oh_resp_into(&handshake), endpoint, pool, server);
    if (endpoint->name) {
        write_introduction(oh_resp_into(&introduction), name);
    }
    handshake.bytes = oh_memory_allocate(handshake.length + introduction.length);
    if (!handshake.bytes) {
        return false;
    }
    endpoint->handshake = handshake.bytes;
    endpoint->handshake_length = handshake.capacity = handshake.length;
    endpoint->introduction_length = introduction.capacity = introduction.length;
    introduction.bytes = handshake.bytes + handshake.length;
    handshake.length = introduction.length = 0;
    write_handshake(oh_resp_into(&handshake), endpoint, pool, server);
    write_introduction(oh_resp_into(&introduction), name);
    return true;
}

void oh_handshake_clear(oh_endpoint *endpoint)
{
    if (endpoint->handshake) {
        oh_memory_erase(endpoint->handshake, endpoint->handshake_length);
        oh_memory_release(endpoint->handshake);
        endpoint->handshake = NULL;
        endpoint->handshake_length = endpoint->introduction_length = 0;
    }
}

/* ---- The answers ---- */

static bool begins_with(const oh_wire *wire, const char *text)
{
    return oh_text_begins(oh_wire_error_text(wire), text);
}

static bool contains(const oh_wire *wire, const char *text)
{
    return memmem(wire->error_text, wire->error_text_length, text, strlen(text)) != NULL;
}

static const char *answer_of(const oh_wire *wire, oh_quoted *answer)
{
    return oh_quote(answer, wire->error_text, wire->error_text_length);
}

/* True for errors that a node gives to any command, because it refuses the connection itself. */
static bool is_turned_away(const oh_wire *wire, oh_failure *failure)
{
    oh_quoted answer;

    if (begins_with(wire, "ERR max number of clients")) {
        oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_TURNED_AWAY, answer_of(wire, &answer));
        failure->says_nothing = true;
        return true;
    }
    if (begins_with(wire, "DENIED")) {
        oh_failure_set(
            failure, OH_OUTCOME_NOT_SENT, OH_SAY_PROTECTED_MODE, answer_of(wire, &answer));
        return true;
    }
    return false;
}

static bool is_sign_in_error(const oh_wire *wire, oh_failure *failure)
{
    oh_quoted answer;

    if (begins_with(wire, "NOAUTH")) {
        oh_failure_set(
            failure, OH_OUTCOME_NOT_SENT, OH_SAY_PASSWORD_MISSING, answer_of(wire, &answer));
        return true;
    }
    return is_turned_away(wire, failure);
}

/*
 * True if the node has no password but one was sent. nutcracker ignores that error, so such
 * configurations are in use.
 */
static bool is_password_unneeded(const oh_wire *wire)
{
    return contains(wire, "without any password configured") ||
           contains(wire, "no password is set");
}

/*
 * The answer to AUTH, for a message. A node that does not know AUTH repeats its arguments, the user
 * and the password: they are left out.
 */
static const char *answer_to_auth(const oh_wire *wire, oh_quoted *answer)
{
    static const char echo[] = ", with args";
    const char *at = memmem(wire->error_text, wire->error_text_length, echo, sizeof echo - 1);
    size_t length = at ? (size_t)(at - wire->error_text) : wire->error_text_length;

    return oh_quote(answer, wire->error_text, length);
}

/* Checks the answer that has just been completed. False if the connection cannot be used. */
static bool judge(const oh_wire *wire, oh_handshake_step step, oh_failure *failure)
{
    oh_quoted answer;

    if (wire->error_number != wire->answered) {
        return true;
    }
    if (is_turned_away(wire, failure)) {
        return false;
    }
    if (step == OH_STEP_TRY_SELECT || step == OH_STEP_INTRODUCE ||
        (step == OH_STEP_AUTH && is_password_unneeded(wire))) {
        return true;
    }
    if (step == OH_STEP_AUTH) {
        oh_failure_set(
            failure, OH_OUTCOME_NOT_SENT, OH_SAY_PASSWORD_REFUSED, answer_to_auth(wire, &answer));
    } else if (step == OH_STEP_VERSION && !begins_with(wire, "NOAUTH")) {
        oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_NOT_SSDB, answer_of(wire, &answer));
    } else if (step == OH_STEP_READONLY && !begins_with(wire, "NOAUTH")) {
        oh_failure_set(
            failure, OH_OUTCOME_NOT_SENT, OH_SAY_READONLY_REFUSED, answer_of(wire, &answer));
    } else if (!is_sign_in_error(wire, failure)) {
        oh_failure_set(
            failure, OH_OUTCOME_NOT_SENT, OH_SAY_DATABASE_REFUSED, answer_of(wire, &answer));
    }
    return false;
}

/*
 * The node must say itself that it is a master. An error counts as "master", because the user may
 * have no right to ask. A node that wants a password is refused here, because the node would refuse
 * the first command.
 */
static bool judge_role(const oh_connection *connection, oh_failure *failure)
{
    oh_values values = oh_values_of(connection->role, connection->role_length);
    oh_text role = {"", 0};
    oh_quoted answer;
    int64_t count;

    if (connection->wire.error_number == connection->wire.answered) {
        return !is_sign_in_error(&connection->wire, failure);
    }
    if (oh_value_take_head(&values, OH_RESP_LIST, &count) && oh_value_take_text(&values, &role) &&
        oh_text_is(role, "master")) {
        return true;
    }
    oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_NOT_MASTER,
        role.length ? oh_quote(&answer, role.bytes, role.length) : OH_WHAT_NO_ROLE);
    return false;
}

bool oh_handshake_turns_away(oh_connection *connection, oh_failure *failure)
{
    const oh_wire *wire = &connection->wire;

    if (!connection->is_unproven || wire->answered == 0) {
        return false;
    }
    connection->is_unproven = false;
    return wire->error_number == 1 && is_sign_in_error(wire, failure);
}

bool oh_handshake_is_refused(oh_connection *connection, oh_failure *failure)
{
    bool is_refused =
        connection->channel && oh_tls_channel_is_turned_away(connection->channel, failure);

    connection->is_turned_away |= is_refused;
    return is_refused;
}

/* ---- Sending and receiving ---- */

static void note_introduction(oh_connection *connection, const oh_endpoint *endpoint)
{
    connection->named = endpoint->name;
    connection->must_introduce = false;
}

bool oh_handshake_introduce(oh_connection *connection, const oh_endpoint *endpoint)
{
    size_t length = endpoint->introduction_length;

    note_introduction(connection, endpoint);
    if (length == 0) {
        return true;
    }
    oh_wire_wrote_whole(&connection->wire, OH_INTRODUCTION_COMMANDS);
    connection->introduced = connection->wire.written;
    ssize_t sent = oh_connection_send_ahead(
        connection, endpoint->handshake + endpoint->handshake_length, length);
    if (sent >= 0 && (size_t)sent < length) {
        /* Nothing else is in the socket's buffer, so it has room for the introduction. */
        errno = EAGAIN;
    }
    return sent == (ssize_t)length;
}

static oh_progress lose(oh_connection *connection, const char *why, oh_failure *failure)
{
    if (!oh_handshake_is_refused(connection, failure)) {
        oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_HANDSHAKE_LOST, why);
    }
    return OH_PROGRESS_BROKEN;
}

static oh_progress say(oh_connection *connection, const oh_endpoint *endpoint, oh_failure *failure)
{
    /* This is done only once, even if no byte could be sent the first time. */
    if (connection->wire.written == 0) {
        note_introduction(connection, endpoint);
        connection->handshake_length = endpoint->handshake_length + endpoint->introduction_length;
        oh_wire_wrote(
            &connection->wire, (const uint8_t *)endpoint->handshake, connection->handshake_length);
        /* The introduction has changed while it was being sent, and its rest is gone. */
    } else if (connection->named != endpoint->name) {
        return lose(connection, OH_REASON_LOST, failure);
    }
    ssize_t sent = oh_connection_send(connection, endpoint->handshake + connection->handshake_sent,
        connection->handshake_length - connection->handshake_sent);
    if (sent < 0) {
        if (errno != EAGAIN && errno != EINTR) {
            return lose(connection, strerror(errno), failure);
        }
        sent = 0;
    }
    connection->handshake_sent += (size_t)sent;
    connection->events =
        connection->handshake_sent < connection->handshake_length ? POLLOUT : POLLIN;
    return OH_PROGRESS_WAITS;
}

/* The command whose answer comes next. */
static oh_handshake_step next_step(const oh_connection *connection, const oh_endpoint *endpoint)
{
    uint8_t answered = connection->handshake_answered;

    return answered < strlen(endpoint->steps) ? (oh_handshake_step)endpoint->steps[answered]
                                              : OH_STEP_INTRODUCE;
}

/* An error in reply to the SELECT of `redis_db` leaves the connection in database 0. */
static void note_database(
    oh_connection *connection, oh_handshake_step step, const oh_endpoint *endpoint)
{
    if ((step == OH_STEP_TRY_SELECT || step == OH_STEP_SELECT) &&
        connection->wire.error_number != connection->wire.answered) {
        connection->own_database = connection->database = endpoint->database;
    }
}

/* Reads byte by byte, because each answer is checked alone. There are few, and they are short. */
static oh_progress hear(oh_connection *connection, const oh_endpoint *endpoint, oh_failure *failure)
{
    uint8_t bytes[512];
    ssize_t count = oh_connection_receive(connection, bytes, sizeof bytes, MSG_DONTWAIT);

    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
        return OH_PROGRESS_WAITS;
    }
    if (count <= 0) {
        return lose(connection, count < 0 ? strerror(errno) : OH_REASON_CLOSED_BY_NODE, failure);
    }
    connection->handshake_received += (size_t)count;
    oh_connection_note_step(connection);
    for (ssize_t i = 0; i < count; i++) {
        uint64_t answered = connection->wire.answered;
        oh_handshake_step step = next_step(connection, endpoint);

        if (step == OH_STEP_ROLE && connection->role_length < OH_ROLE_BYTES) {
            connection->role[connection->role_length++] = (char)bytes[i];
        }
        oh_wire_read(&connection->wire, bytes + i, 1);
        if (connection->wire.error) {
            oh_failure_set(
                failure, OH_OUTCOME_NOT_SENT, OH_SAY_HANDSHAKE_GARBLED, connection->wire.error);
            return OH_PROGRESS_BROKEN;
        }
        if (connection->wire.answered > answered) {
            connection->handshake_answered++;
            if (step == OH_STEP_ROLE ? !judge_role(connection, failure)
                                     : !judge(&connection->wire, step, failure)) {
                connection->is_turned_away = true;
                return OH_PROGRESS_BROKEN;
            }
            note_database(connection, step, endpoint);
        }
    }
    if (oh_wire_owed(&connection->wire) > 0) {
        return OH_PROGRESS_WAITS;
    }
    connection->state = OH_READY;
    return OH_PROGRESS_READY;
}

/* ---- Another database ---- */

/* Writes the command again each time a part of it is sent. */
static size_t write_select(char bytes[OH_SELECT_BYTES], uint32_t database)
{
    oh_resp_room room = {.bytes = bytes, .capacity = OH_SELECT_BYTES};

    put_select(oh_resp_into(&room), database);
    return room.length;
}

void oh_handshake_select(oh_connection *connection, oh_database database)
{
    char bytes[OH_SELECT_BYTES];

    connection->state = OH_HANDSHAKE;
    connection->is_selecting = true;
    connection->selected =
        oh_database_is_chosen(database) ? oh_database_number(database) : connection->own_database;
    connection->handshake_length = write_select(bytes, connection->selected);
    connection->handshake_sent = connection->handshake_received = 0;
    connection->role_length = 0;
    connection->asked_ms = oh_clock_now_ms();
    oh_wire_wrote_whole(&connection->wire, 1);
}

static oh_progress say_select(oh_connection *connection, oh_failure *failure)
{
    char bytes[OH_SELECT_BYTES];
    size_t length = write_select(bytes, connection->selected);
    ssize_t sent = oh_connection_send(
        connection, bytes + connection->handshake_sent, length - connection->handshake_sent);

    if (sent < 0 && errno != EAGAIN && errno != EINTR) {
        return lose(connection, strerror(errno), failure);
    }
    connection->handshake_sent += sent > 0 ? (size_t)sent : 0;
    connection->events = connection->handshake_sent < length ? POLLOUT : POLLIN;
    return OH_PROGRESS_WAITS;
}

/*
 * Only OK says that the database is selected. In a transaction, for example, the answer would be
 * QUEUED.
 */
static oh_progress judge_select(oh_connection *connection, oh_failure *failure)
{
    static const char ok[] = "+OK\r\n";
    const oh_wire *wire = &connection->wire;
    oh_quoted answer;

    if (connection->role_length == sizeof ok - 1 &&
        memcmp(connection->role, ok, sizeof ok - 1) == 0) {
        connection->database = connection->selected;
        connection->is_selecting = connection->is_unproven = false;
        connection->state = OH_READY;
        return OH_PROGRESS_READY;
    }
    if (wire->error_number != wire->answered) {
        oh_failure_set(
            failure, OH_OUTCOME_NOT_SENT, OH_SAY_HANDSHAKE_GARBLED, OH_WHAT_NO_SELECTION);
        return OH_PROGRESS_BROKEN;
    }
    connection->is_turned_away = true;
    if (!is_sign_in_error(wire, failure)) {
        oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_SELECT_REFUSED,
            (unsigned)connection->selected, answer_of(wire, &answer));
    }
    return OH_PROGRESS_BROKEN;
}

static oh_progress hear_select(oh_connection *connection, oh_failure *failure)
{
    uint8_t bytes[512];
    ssize_t count = oh_connection_receive(connection, bytes, sizeof bytes, MSG_DONTWAIT);
    ssize_t kept = OH_MIN(count, OH_ROLE_BYTES - connection->role_length);

    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
        return OH_PROGRESS_WAITS;
    }
    if (count <= 0) {
        return lose(connection, count < 0 ? strerror(errno) : OH_REASON_CLOSED_BY_NODE, failure);
    }
    memcpy(connection->role + connection->role_length, bytes, (size_t)kept);
    connection->role_length += (uint8_t)kept;
    connection->handshake_received += (size_t)count;
    oh_connection_note_step(connection);
    oh_wire_read(&connection->wire, bytes, (size_t)count);
    if (connection->wire.error) {
        oh_failure_set(
            failure, OH_OUTCOME_NOT_SENT, OH_SAY_HANDSHAKE_GARBLED, connection->wire.error);
        return OH_PROGRESS_BROKEN;
    }
    return oh_wire_owed(&connection->wire) > 0 ? OH_PROGRESS_WAITS
                                               : judge_select(connection, failure);
}

static oh_progress go_on_selecting(oh_connection *connection, oh_failure *failure)
{
    if (connection->handshake_sent < connection->handshake_length) {
        oh_progress progress = say_select(connection, failure);

        if (progress == OH_PROGRESS_BROKEN || connection->events == POLLOUT) {
            return progress;
        }
    }
    return hear_select(connection, failure);
}

oh_progress oh_handshake_advance(
    oh_connection *connection, const oh_endpoint *endpoint, oh_failure *failure)
{
    if (connection->is_selecting) {
        return go_on_selecting(connection, failure);
    }
    if (connection->wire.written == 0 ||
        connection->handshake_sent < connection->handshake_length) {
        oh_progress progress = say(connection, endpoint, failure);

        if (progress == OH_PROGRESS_BROKEN || connection->events == POLLOUT) {
            return progress;
        }
    }
    return hear(connection, endpoint, failure);
}
