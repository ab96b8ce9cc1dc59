/*
 * A file that has changed: one process of the host reads it and publishes what it says, unless it is bad, or too large, or
 * nobody may publish now: then it is looked at again.
 */
#include "engine/source/source_known.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/memory.h"

#include "engine/base/environment.h"
#include "engine/shared/segment.h"

#define OH_LINE_BYTES (PATH_MAX + 512)

static _Atomic uint64_t *version_in_store(const oh_known *known)
{
    return oh_store_version(oh_segment_store(), known->place);
}

static void end_look(const oh_known *known)
{
    if (known->place != OH_STORE_NONE) {
        oh_store_end_look(oh_segment_store(), known->place, (uint32_t)getpid());
    }
}

void oh_known_note_version(oh_known *known, uint64_t version)
{
    if (known->place != OH_STORE_NONE) {
        atomic_store(version_in_store(known), version);
    }
    known->version = version;
    end_look(known);
}

void oh_known_note_reading(oh_known *known, const char *problem)
{
    uint64_t read_at = oh_clock_unix_s() * 2 + (problem != NULL);

    if (known->place == OH_STORE_NONE) {
        oh_memory_release(known->problem);
        known->problem = problem ? oh_memory_copy(problem, strlen(problem)) : NULL;
        known->read_at = read_at;
        return;
    }
    if (problem) {
        oh_store_write_text(oh_store_problem(oh_segment_store(), known->place), OH_STORE_PROBLEM_WORDS, problem);
    }
    atomic_store(oh_store_read_at(oh_segment_store(), known->place), read_at);
}

uint64_t oh_known_publish(const oh_known *known, const oh_reading *reading)
{
    return oh_store_publish(oh_segment_store(), known->place, reading->image, reading->image_length)
               ? oh_store_generation(oh_segment_store(), known->place)
               : 0;
}

/* ---- Who may read it ---- */

static void refuse(oh_known *known)
{
    bool is_news = known->refused_ms == 0;

    known->refused_ms = oh_clock_now_ms();
    if (is_news && known->snapshot) {
        oh_warn("OneHop: Configuration %s: %s; the configuration read before stays in use", known->path,
            strerror(EACCES));
    }
}

bool oh_known_is_allowed(oh_known *known)
{
    if (known->refused_ms && oh_clock_now_ms() < known->refused_ms + OH_LOOK_EVERY_MS) {
        return false;
    }
    if (oh_reading_is_forbidden(known->path)) {
        refuse(known);
        return false;
    }
    known->refused_ms = 0;
    return true;
}

void oh_known_tell_exposed(const oh_known *known, mode_t exposed)
{
    char text[OH_LINE_BYTES];

    if (!exposed) {
        return;
    }
    snprintf(text, sizeof text, "OneHop: %s holds a password, and every user of this machine may %s it: take these rights away (chmod o=)",
        known->path, exposed == S_IROTH ? "read" : exposed == S_IWOTH ? "write" : "read and write");
    oh_surroundings.announce(LOG_WARNING, text);
}

/* ---- Changes ---- */

static void tell_change(const oh_known *known, uint32_t moved, uint64_t generation)
{
    char text[OH_LINE_BYTES];

    snprintf(text, sizeof text, "OneHop: %s changed: %u.%u %% of the keys of server pool %s move (generation %llu)",
        known->path, moved / 10, moved % 10, known->snapshot->pool->name.bytes, (unsigned long long)generation);
    oh_surroundings.announce(LOG_NOTICE, text);
}

typedef enum oh_switched { OH_SWITCHED, OH_NO_ROOM, OH_NOT_NOW } oh_switched;

/* `before` is what the host has: this process may be ahead of it, having read the file for its password. */
static oh_switched switch_to(oh_known *known, oh_reading *reading, const void *before, size_t before_length)
{
    uint64_t generation = known->generation + 1;
    bool is_shared = known->place != OH_STORE_NONE;

    if (oh_image_equals(reading->image, reading->image_length, before, before_length)) {
        oh_reading_free(reading);
        return OH_SWITCHED;
    }
    if (is_shared && !oh_segment_lock()) {
        oh_reading_free(reading);
        return OH_NOT_NOW;
    }
    if (is_shared) {
        generation = oh_known_publish(known, reading);
        oh_segment_unlock();
    }
    if (generation == 0) {
        oh_reading_free(reading);
        return OH_NO_ROOM;
    }
    uint32_t moved = oh_topology_moved(oh_image_topology(before), oh_image_topology(reading->image));
    if (!oh_known_adopt(known, reading, generation)) {
        return is_shared ? OH_SWITCHED : OH_NOT_NOW; /* What is published this process copies when it can. */
    }
    tell_change(known, moved, generation);
    return OH_SWITCHED;
}

/*
 * One process looks at a changed file; it complains of a bad one when its version is noted, so once. A warning calls the
 * script, which may not come back: it is the last thing that is done. (Not php_error_docref: with html_errors that writes
 * the quotes of a reason as &quot;, also to the log.)
 */
void oh_known_look_again(oh_known *known)
{
    uint64_t version = oh_reading_version(known->path);
    oh_reading reading, published = {.image = NULL};
    uint64_t generation;

    if (version == (known->place != OH_STORE_NONE ? atomic_load(version_in_store(known)) : known->version)) {
        end_look(known);
        return;
    }
    bool is_good = oh_reading_make(&reading, known->path, known->name, oh_known_salt());
    if (!is_good && reading.is_forbidden && known->place != OH_STORE_NONE) {
        oh_store_pass_look(oh_segment_store(), known->place, (uint32_t)getpid()); /* Another user's process may read it. */
        refuse(known);
        return;
    }
    if (reading.has_no_memory) {
        end_look(known);
        return;
    }
    mode_t exposed = reading.exposed;
    known->refused_ms = 0;
    bool is_of_host = known->place != OH_STORE_NONE && oh_known_copy(known, &published, &generation);
    oh_switched switched = !is_good ? OH_SWITCHED
                                    : switch_to(known, &reading, is_of_host ? published.image : known->snapshot->image,
                                          is_of_host ? published.image_length : known->snapshot->image_length);
    oh_reading_free(&published);
    if (switched == OH_NOT_NOW) {
        end_look(known);
        return;
    }
    oh_known_note_reading(known, !is_good                  ? reading.failure.what
                                 : switched == OH_NO_ROOM ? "It no longer fits into shared memory: raise onehop.shared_memory"
                                                          : NULL);
    oh_known_note_version(known, version);
    oh_known_tell_exposed(known, exposed);
    if (!is_good) {
        oh_warn("OneHop: %s; the configuration read before stays in use", reading.failure.what);
    } else if (switched == OH_NO_ROOM) {
        oh_warn("OneHop: %s has changed and no longer fits into shared memory: raise "
            "onehop.shared_memory; the configuration read before stays in use", known->path);
    }
}
