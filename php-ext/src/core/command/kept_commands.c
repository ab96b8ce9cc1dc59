/*
 * The name and the server pool of a command decide which few places may hold it. If all of these
 * places are in use, a new command takes the one that was filled first.
 */
#include "core/command/kept_commands.h"

#include "core/generated/timings.h"

/* A place as bytes, with zeros at its end. */
typedef union copy {
    struct {
        uint8_t identity[OH_KEPT_IDENTITY_BYTES];
        oh_learnt learnt;
    } is;
    uint64_t words[OH_KEPT_COMMAND_WORDS];
} copy;

static uint64_t mix(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return sum ^ sum >> 29;
}

/* Never 0, which is the checksum of an empty place. */
static uint64_t checksum_of(const copy *command, uint64_t kept_ms)
{
    uint64_t sum = mix(1, kept_ms);

    for (size_t i = 0; i < OH_KEPT_COMMAND_WORDS; i++) {
        sum = mix(sum, command->words[i]);
    }
    return sum | 1;
}

/* The first of the places where a command may be. */
static size_t near(const uint8_t identity[OH_KEPT_IDENTITY_BYTES], const char *name)
{
    uint64_t sum = 1;

    for (size_t i = 0; i < OH_KEPT_IDENTITY_BYTES; i++) {
        sum = mix(sum, identity[i]);
    }
    for (; *name; name++) {
        sum = mix(sum, (uint8_t)*name);
    }
    return (size_t)(sum % (OH_LEARNT_COMMANDS_MAX / OH_LEARNT_COMMANDS_NEAR)) *
           OH_LEARNT_COMMANDS_NEAR;
}

/* Reads a place. False if it is empty, or was not written by one writer. */
static bool read(const oh_kept_command *place, copy *command, uint64_t *kept_ms)
{
    uint64_t checksum = atomic_load_explicit(&place->checksum, memory_order_acquire);

    if (checksum == 0) {
        return false;
    }
    *kept_ms = atomic_load_explicit(&place->kept_ms, memory_order_relaxed);
    for (size_t i = 0; i < OH_KEPT_COMMAND_WORDS; i++) {
        command->words[i] = atomic_load_explicit(&place->words[i], memory_order_relaxed);
    }
    return checksum_of(command, *kept_ms) == checksum && oh_learnt_is_valid(&command->is.learnt);
}

static bool is_of(const copy *command, const uint8_t *identity, const char *name)
{
    return memcmp(command->is.identity, identity, OH_KEPT_IDENTITY_BYTES) == 0 &&
           strcmp(command->is.learnt.name, name) == 0;
}

bool oh_kept_commands_find(oh_kept_commands *kept, const uint8_t identity[OH_KEPT_IDENTITY_BYTES],
    const char *name, uint64_t now_ms, oh_learnt *learnt)
{
    size_t first = near(identity, name);

    for (size_t at = first; at < first + OH_LEARNT_COMMANDS_NEAR; at++) {
        uint64_t kept_ms;
        copy command;

        if (read(&kept->places[at], &command, &kept_ms) && is_of(&command, identity, name)) {
            *learnt = command.is.learnt;
            return now_ms - kept_ms < (learnt->kind == OH_LEARNT_UNKNOWN ? OH_COMMAND_UNKNOWN_MS
                                                                         : OH_COMMAND_KNOWN_MS);
        }
    }
    return false;
}

/* The command's own place, else one that is free or damaged, else the one that was filled first. */
static oh_kept_command *place_for(
    oh_kept_commands *kept, const uint8_t identity[OH_KEPT_IDENTITY_BYTES], const char *name)
{
    size_t first = near(identity, name), chosen = first;
    uint64_t chosen_ms = UINT64_MAX;

    for (size_t at = first; at < first + OH_LEARNT_COMMANDS_NEAR; at++) {
        uint64_t kept_ms;
        copy command;

        if (!read(&kept->places[at], &command, &kept_ms)) {
            kept_ms = 0;
        } else if (is_of(&command, identity, name)) {
            return &kept->places[at];
        }
        if (kept_ms < chosen_ms) {
            chosen = at;
            chosen_ms = kept_ms;
        }
    }
    return &kept->places[chosen];
}

void oh_kept_commands_add(oh_kept_commands *kept, const uint8_t identity[OH_KEPT_IDENTITY_BYTES],
    const oh_learnt *learnt, uint64_t now_ms)
{
    oh_kept_command *place = place_for(kept, identity, learnt->name);
    copy command = {.words = {0}};

    memcpy(command.is.identity, identity, OH_KEPT_IDENTITY_BYTES);
    command.is.learnt = *learnt;
    atomic_store_explicit(&place->checksum, 0, memory_order_release);
    atomic_store_explicit(&place->kept_ms, now_ms, memory_order_relaxed);
    for (size_t i = 0; i < OH_KEPT_COMMAND_WORDS; i++) {
        atomic_store_explicit(&place->words[i], command.words[i], memory_order_relaxed);
    }
    atomic_store_explicit(&place->checksum, checksum_of(&command, now_ms), memory_order_release);
}

void oh_kept_commands_forget(oh_kept_commands *kept, const char *name)
{
    for (size_t at = 0; at < OH_LEARNT_COMMANDS_MAX; at++) {
        uint64_t kept_ms;
        copy command;

        if (read(&kept->places[at], &command, &kept_ms) &&
            strcmp(command.is.learnt.name, name) == 0) {
            atomic_store_explicit(&kept->places[at].checksum, 0, memory_order_release);
        }
    }
}
