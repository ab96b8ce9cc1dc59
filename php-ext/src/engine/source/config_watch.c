/*
 * Reads changed files. Once a second, one process of the host checks if the file has changed. If
 * so, it reads the file and publishes its image. A bad file is not published, and is read again at
 * each check. If the image does not fit, or the lock is busy, the file is checked again later.
 */
#include "engine/source/source_internal.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"
#include "core/generated/timings.h"
#include "core/generated/words.h"

#include "engine/base/environment.h"
#include "engine/shared/segment.h"

#define OH_LINE_BYTES (PATH_MAX + 512)

/* ---- Turns ---- */

bool oh_watch_begin_check(oh_loaded *loaded)
{
    uint64_t now = oh_clock_now_ms();
    uint32_t every_ms = loaded->is_urgent ? OH_AGAIN_MS_FIRST : OH_CONFIG_CHECK_EVERY_MS;

    if (OH_UNLIKELY(loaded->refused_ms) && now < loaded->refused_ms + OH_CONFIG_CHECK_EVERY_MS) {
        return false;
    }
    if (loaded->entry != OH_STORE_NONE) {
        return oh_store_begin_check(oh_segment_store(), loaded->entry, (uint32_t)getpid(), now,
            every_ms, oh_worker_is_alive);
    }
    if (now < loaded->checked_ms + every_ms) {
        return false;
    }
    loaded->checked_ms = now;
    return true;
}

static _Atomic uint64_t *version_in_store(const oh_loaded *loaded)
{
    return oh_store_version(oh_segment_store(), loaded->entry);
}

static uint64_t noted_version(const oh_loaded *loaded)
{
    return loaded->entry != OH_STORE_NONE ? atomic_load(version_in_store(loaded)) : loaded->version;
}

static void end_check(const oh_loaded *loaded)
{
    if (loaded->entry != OH_STORE_NONE) {
        oh_store_end_check(oh_segment_store(), loaded->entry, (uint32_t)getpid());
    }
}

/* Lets another process check immediately. */
static void pass_check(const oh_loaded *loaded)
{
    if (loaded->entry != OH_STORE_NONE) {
        oh_store_pass_check(oh_segment_store(), loaded->entry, (uint32_t)getpid());
    }
}

static void note_version(oh_loaded *loaded, uint64_t version)
{
    if (loaded->entry != OH_STORE_NONE) {
        atomic_store(version_in_store(loaded), version);
    }
    loaded->version = version;
}

void oh_watch_note_version(oh_loaded *loaded, uint64_t version)
{
    note_version(loaded, version);
    end_check(loaded);
}

/* ---- Warnings ---- */

/*
 * Writes to the log, because a warning by PHP would appear in the page of one visitor, or end that
 * request.
 */
void oh_watch_warn(const char *format, ...)
{
    char text[OH_LINE_BYTES];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    oh_surroundings.announce(LOG_WARNING, text);
}

/* ---- Permission ---- */

static const void *image_of(const oh_loaded *loaded)
{
    return loaded->snapshot ? loaded->snapshot->image : NULL;
}

static void warn_refused(const char *what)
{
    oh_watch_warn("OneHop: %s; the configuration read before stays in use", what);
}

void oh_watch_refuse(oh_loaded *loaded, const char *what)
{
    bool is_news = loaded->refused_ms == 0;

    loaded->refused_ms = oh_clock_now_ms();
    if (is_news && loaded->snapshot) {
        warn_refused(what);
    }
}

bool oh_watch_is_allowed(oh_loaded *loaded)
{
    if (loaded->refused_ms && oh_clock_now_ms() < loaded->refused_ms + OH_CONFIG_CHECK_EVERY_MS) {
        return false;
    }
    if (oh_config_image_is_forbidden(&loaded->origin, image_of(loaded))) {
        char what[OH_LINE_BYTES];

        snprintf(what, sizeof what, "Configuration %s: %s", loaded->origin.path, strerror(EACCES));
        oh_watch_refuse(loaded, what);
        return false;
    }
    return true;
}

static void warn_exposed(const char *path, mode_t exposed)
{
    char text[OH_LINE_BYTES];

    if (!exposed) {
        return;
    }
    snprintf(text, sizeof text,
        "OneHop: %s holds a password, and every user of this machine may %s it: take these rights "
        "away (chmod o=)",
        path,
        exposed == S_IROTH   ? "read"
        : exposed == S_IWOTH ? "write"
                             : "read and write");
    oh_surroundings.announce(LOG_WARNING, text);
}

/* True for $NAME, as a shell spells a variable. */
static bool is_like_variable(oh_text value)
{
    if (value.length < 2 || value.bytes[0] != '$' ||
        (value.bytes[1] >= '0' && value.bytes[1] <= '9')) {
        return false;
    }
    for (size_t i = 1; i < value.length; i++) {
        char byte = value.bytes[i], letter = (char)(byte | 0x20);

        if (byte != '_' && !(letter >= 'a' && letter <= 'z') && !(byte >= '0' && byte <= '9')) {
            return false;
        }
    }
    return true;
}

/* Warns of values that are valid, but were probably not meant. */
static void warn_slips(const oh_server_pool *pool)
{
    char text[OH_LINE_BYTES];

    if (pool->timeout_ms > 0 && pool->timeout_ms < OH_TIMEOUT_SHORT_MS) {
        snprintf(text, sizeof text, "OneHop: " OH_LOG_TIMEOUT_SHORT, pool->name.bytes,
            (int)pool->timeout_ms);
        oh_surroundings.announce(LOG_WARNING, text);
    }
    if (is_like_variable(pool->redis_auth)) {
        snprintf(text, sizeof text, "OneHop: " OH_LOG_PASSWORD_VARIABLE, pool->name.bytes);
        oh_surroundings.announce(LOG_WARNING, text);
    }
}

void oh_watch_warn_read(const oh_loaded *loaded, oh_exposed exposed)
{
    oh_text password_file = loaded->snapshot->pool->redis_auth_file;

    warn_slips(loaded->snapshot->pool);
    warn_exposed(loaded->origin.path, exposed.config);
    if (password_file.bytes) {
        warn_exposed(password_file.bytes, exposed.password_file);
    }
}

/* ---- Changes ---- */

static void tell_change(const oh_loaded *loaded, uint32_t moved, uint64_t generation)
{
    char text[OH_LINE_BYTES];

    snprintf(text, sizeof text,
        "OneHop: %s%s changed: %u.%u %% of the keys of server pool %s move (generation %llu)",
        loaded->origin.path,
        loaded->snapshot->pool->redis_auth_file.bytes ? " or its password file" : "", moved / 10,
        moved % 10, loaded->snapshot->pool->name.bytes, (unsigned long long)generation);
    oh_surroundings.announce(LOG_NOTICE, text);
}

typedef enum oh_switched { OH_SWITCHED, OH_NO_ROOM, OH_NOT_NOW } oh_switched;

/*
 * Switches to a new image. `before` is the host's image. This process may have a newer one, because
 * it has read the file itself to get the password.
 */
static oh_switched switch_to(
    oh_loaded *loaded, oh_config_image *config_image, const void *before, size_t before_length)
{
    uint64_t generation = loaded->generation + 1;
    bool is_shared = loaded->entry != OH_STORE_NONE;

    if (oh_image_equals(config_image->image, config_image->image_length, before, before_length)) {
        oh_config_image_free(config_image);
        return OH_SWITCHED;
    }
    if (is_shared && !oh_segment_lock()) {
        oh_config_image_free(config_image);
        return OH_NOT_NOW;
    }
    if (is_shared) {
        generation = oh_loaded_publish(loaded, config_image);
        oh_segment_unlock();
    }
    if (generation == 0) {
        oh_config_image_free(config_image);
        return OH_NO_ROOM;
    }
    uint32_t moved =
        oh_topology_moved(oh_image_topology(before), oh_image_topology(config_image->image));
    if (!oh_loaded_adopt(loaded, config_image, generation)) {
        /* This process copies the published image when it can. */
        return is_shared ? OH_SWITCHED : OH_NOT_NOW;
    }
    tell_change(loaded, moved, generation);
    return OH_SWITCHED;
}

/*
 * A bad configuration may become good without a new version, such as when a missing password file
 * appears. So the failure is noted, not the version: the next check reads the files again, and one
 * process of the host warns of the failure, once.
 */
static void check_refused(oh_loaded *loaded, const oh_config_image *refused)
{
    bool is_news = noted_version(loaded) != refused->version;

    if (refused->has_no_memory) {
        end_check(loaded);
        return;
    }
    if (is_news) {
        oh_loaded_note_read(loaded, refused->failure.what);
    }
    note_version(loaded, refused->version);
    if (refused->is_of_process) {
        loaded->refused_ms = oh_clock_now_ms();
        pass_check(loaded);
    } else {
        loaded->refused_ms = 0;
        end_check(loaded);
    }
    if (is_news) {
        warn_refused(refused->failure.what);
    }
}

/* `version` is the version that the files had before they were read. */
static void check_read(oh_loaded *loaded, oh_config_image *config_image, uint64_t version)
{
    oh_exposed exposed = config_image->exposed;
    uint64_t read_version = config_image->version;
    oh_config_image published = {.image = NULL};
    uint64_t generation;

    loaded->refused_ms = 0;
    bool is_of_host =
        loaded->entry != OH_STORE_NONE && oh_loaded_copy(loaded, &published, &generation);
    oh_switched switched =
        switch_to(loaded, config_image, is_of_host ? published.image : loaded->snapshot->image,
            is_of_host ? published.image_length : loaded->snapshot->image_length);
    oh_config_image_free(&published);
    if (switched == OH_NOT_NOW) {
        end_check(loaded);
        return;
    }
    oh_loaded_note_read(loaded,
        switched == OH_NO_ROOM ? "It no longer fits into shared memory: raise onehop.shared_memory"
                               : NULL);
    oh_watch_note_version(loaded, switched == OH_NO_ROOM ? version : read_version);
    oh_watch_warn_read(loaded, exposed);
    if (switched == OH_NO_ROOM) {
        oh_watch_warn("OneHop: %s has changed and no longer fits into shared memory: raise "
                      "onehop.shared_memory; the configuration read before stays in use",
            loaded->origin.path);
    }
}

void oh_watch_check(oh_loaded *loaded)
{
    uint64_t version = oh_config_image_version(&loaded->origin, image_of(loaded));
    oh_config_image config_image;

    if (version == noted_version(loaded)) {
        end_check(loaded);
    } else if (oh_config_image_make(
                   &config_image, &loaded->origin, loaded->name, oh_loaded_salt())) {
        check_read(loaded, &config_image, version);
    } else {
        check_refused(loaded, &config_image);
    }
}
