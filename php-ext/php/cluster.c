/*
 * What a process has of the map, what the host has, and how a newer one comes from the one to the other.
 */
#include "php_onehop.h"

#include "ext/random/php_random.h"

#include "core/clock.h"
#include "core/hash/md5.h"

#include "cluster.h"
#include "exchange_patience.h"
#include "segment.h"

#define OH_ASK_EVERY_MS 1000    /* The least time between two inquiries of a host, and a quarter more by chance. */
#define OH_NOTE_ATTEMPTS 8      /* So often another process may be faster; who is never lucky costs a redirect. */
#define OH_ASK_ANYWAY_MS 60000  /* A map that nothing seems to be wrong with is asked for so often. */
#define OH_CALLS_PER_LOOK 1024  /* So often a client that is not made anew looks at the clock. */
#define OH_LOOK_AGAIN_MS 2
#define OH_ANSWER_MS 200        /* So long an answer is waited for that another process has asked for. */
#define OH_LAST_MOMENT_MS 50    /* How long the end of a request waits for an inquiry. */

static uint64_t now_ms(void)
{
    return oh_clock_now_ns() / 1000000;
}

static uint32_t up_to(uint32_t most)
{
    zend_long number = 0;

    php_random_int_silent(0, most, &number);
    return (uint32_t)number;
}

/* ---- Life ---- */

void oh_cluster_identify(const uint8_t pool[OH_STORE_IDENTITY_BYTES], uint8_t identity[OH_STORE_IDENTITY_BYTES])
{
    oh_md5 md5;

    oh_md5_begin(&md5);
    oh_md5_add(&md5, pool, OH_STORE_IDENTITY_BYTES);
    oh_md5_add(&md5, "cluster", strlen("cluster"));
    oh_md5_end(&md5, identity);
}

oh_cluster *oh_cluster_open(const uint8_t pool[OH_STORE_IDENTITY_BYTES], const char *path)
{
    oh_cluster *cluster = pecalloc(1, sizeof *cluster, true);

    oh_cluster_identify(pool, cluster->identity);
    cluster->place = oh_segment_store() ? oh_store_find(oh_segment_store(), cluster->identity) : OH_STORE_NONE;
    if (cluster->place == OH_STORE_NONE && oh_segment_store() && oh_segment_lock()) {
        cluster->place = oh_store_add(oh_segment_store(), cluster->identity, path);
        oh_segment_unlock();
    }
    return cluster;
}

static void set_snapshot(oh_snapshot **place, oh_snapshot *snapshot)
{
    oh_snapshot *before = *place;

    *place = snapshot;
    if (before) {
        oh_snapshot_release(before);
    }
}

void oh_cluster_forget(oh_cluster *cluster)
{
    set_snapshot(&cluster->map, NULL);
    set_snapshot(&cluster->seeds, NULL);
    free(cluster);
}

/* ---- The host's map ---- */

static void make_map(oh_cluster *cluster, void *image, size_t length, uint64_t generation)
{
    oh_reading reading = {.image = image, .image_length = length};

    if (cluster->seeds->password) {
        reading.password = pestrndup(cluster->seeds->password, cluster->seeds->password_length, true);
        reading.password_length = cluster->seeds->password_length;
    }
    set_snapshot(&cluster->map, oh_snapshot_make(&reading, cluster->identity));
    cluster->map->cluster = cluster;
    cluster->generation = generation;
}

/* Whether the map signs in as this process would: another configuration is older or newer than this process' own. */
static bool is_mine(const oh_cluster *cluster, const void *image)
{
    const oh_snapshot *seeds = cluster->seeds;

    return oh_image_has_password(image) == (seeds->password != NULL) &&
           (!seeds->password || oh_image_is_password(image, oh_store_salt(oh_segment_store()), seeds->own_pool.redis_auth));
}

/* The host has another map than this process, and it may be this process'. */
static bool is_behind(const oh_cluster *cluster)
{
    if (cluster->place == OH_STORE_NONE) {
        return false;
    }
    uint64_t generation = oh_store_generation(oh_segment_store(), cluster->place);
    return UNEXPECTED(generation != cluster->generation) && generation != cluster->foreign;
}

void oh_cluster_catch_up(oh_cluster *cluster)
{
    size_t room = 1 << 16, length;
    uint64_t generation;

    if (EXPECTED(!is_behind(cluster))) {
        return;
    }
    void *image = pemalloc(room, true);
    while ((length = oh_store_copy(oh_segment_store(), cluster->place, image, room, &generation)) > room) {
        room = length + length / 4;
        image = perealloc(image, room, true);
    }
    if (length > 0 && oh_image_is_valid(image, length) && oh_topology_slots(oh_image_topology(image)) &&
        is_mine(cluster, image)) {
        make_map(cluster, image, length, generation);
    } else {
        cluster->foreign = generation;
        free(image);
    }
}

/* Under no lock yet. False: another process was faster, or nobody may write now, and there is a map. */
static bool publish(oh_cluster *cluster, const void *image, size_t length, uint64_t *generation)
{
    bool is_published = false;

    if (cluster->place == OH_STORE_NONE) {
        *generation = cluster->generation + 1;
        return true;
    }
    if (!oh_segment_lock()) {
        cluster->place = cluster->map ? cluster->place : OH_STORE_NONE;
        *generation = cluster->generation + 1;
        return !cluster->map;
    }
    if (oh_store_generation(oh_segment_store(), cluster->place) == *generation) {
        is_published = oh_store_publish(oh_segment_store(), cluster->place, image, length);
        if (is_published) {
            *generation = oh_store_generation(oh_segment_store(), cluster->place);
        } else {
            cluster->place = OH_STORE_NONE; /* It does not fit: this process goes its own way. */
            *generation = cluster->generation + 1;
            is_published = true;
        }
    }
    oh_segment_unlock();
    return is_published;
}

/* Takes over an image. False: there is a newer one. */
static bool adopt_image(oh_cluster *cluster, void *image, size_t length, uint64_t generation)
{
    if (!publish(cluster, image, length, &generation)) {
        free(image);
        oh_cluster_catch_up(cluster);
        return false;
    }
    make_map(cluster, image, length, generation);
    return true;
}

static void *write_image(const oh_pool *pool, size_t *length)
{
    static const uint8_t none[OH_IMAGE_SALT_BYTES];
    const oh_store *store = oh_segment_store();
    void *image = pecalloc(1, *length = oh_image_size(pool), true);

    oh_image_write(pool, store ? oh_store_salt(store) : none, image);
    return image;
}

bool oh_cluster_adopt(oh_cluster *cluster, const oh_pool *pool)
{
    size_t length;
    void *image = write_image(pool, &length);

    if (cluster->map && oh_image_equals(image, length, cluster->map->image, cluster->map->image_length)) {
        free(image);
        return true;
    }
    return adopt_image(cluster, image, length, cluster->generation);
}

/* Moves slots in the newest map. False: meanwhile another process has published a newer one. */
static bool note_moves(oh_cluster *cluster, const oh_cluster_move *moves, uint32_t count)
{
    size_t length = cluster->map->image_length;
    uint32_t nodes_count = cluster->map->nodes_count, changes = 0;
    void *image = pemalloc(length, true);

    memcpy(image, cluster->map->image, length);
    oh_topology *topology = (oh_topology *)oh_image_topology(image);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = oh_topology_find(topology, moves[i].name.bytes, moves[i].name.length);

        if (node < nodes_count && oh_topology_slots(topology)[moves[i].slot] != node) {
            oh_topology_move_slot(topology, moves[i].slot, node);
            changes++;
        }
    }
    if (changes == 0) {
        free(image);
        return true;
    }
    oh_topology_sign(topology);
    return adopt_image(cluster, image, length, cluster->generation);
}

void oh_cluster_note_moves(oh_cluster *cluster, const oh_cluster_move *moves, uint32_t count)
{
    bool is_noted = false;

    oh_cluster_want(cluster);
    for (int attempt = 0; attempt < OH_NOTE_ATTEMPTS && !is_noted; attempt++) {
        oh_cluster_catch_up(cluster);
        is_noted = note_moves(cluster, moves, count);
    }
}

/* ---- Whose turn it is ---- */

/* One process of the host, if nobody has asked for so long. */
bool oh_cluster_is_my_turn(oh_cluster *cluster, uint32_t every_ms)
{
    uint64_t now = now_ms();

    if (cluster->place != OH_STORE_NONE) {
        return oh_store_is_my_turn(oh_segment_store(), cluster->place, now, every_ms);
    }
    if (now < cluster->asked_ms + every_ms) {
        return false;
    }
    cluster->asked_ms = now;
    return true;
}

/* ---- What clients call ---- */

/* Others were configured than before, and none of them is a node of the map: perhaps it is another cluster. */
static bool is_elsewhere(const oh_cluster *cluster, const oh_snapshot *seeds)
{
    const oh_topology *map = cluster->map->topology;

    for (uint32_t i = 0; i < seeds->nodes_count; i++) {
        const oh_text *name = &seeds->pool->servers[i].name;

        if (oh_topology_find(map, name->bytes, name->length) < cluster->map->nodes_count) {
            return false;
        }
    }
    return strcmp(oh_topology_fingerprint(seeds->topology), oh_topology_fingerprint(cluster->seeds->topology)) != 0;
}

/* The configuration has changed: the nodes stay, unless the servers know others; the directives are new. */
static void reconfigure(oh_cluster *cluster, oh_snapshot *seeds)
{
    bool is_other = false;

    if (cluster->map) {
        oh_cluster_catch_up(cluster);
        is_other = is_elsewhere(cluster, seeds);
    }
    seeds->references++;
    set_snapshot(&cluster->seeds, seeds);
    cluster->foreign = 0;
    if (!cluster->map) {
        return;
    }
    cluster->doubts_nodes = true;
    oh_cluster_want(cluster);
    if (is_other) {
        oh_cluster_ask(cluster, oh_cluster_deadline(cluster));
    }
    oh_cluster_catch_up(cluster);
    const oh_pool *now = cluster->map->pool;
    oh_pool pool = *seeds->pool;
    pool.servers = now->servers;
    pool.servers_count = now->servers_count;
    pool.slots = now->slots;
    pool.epoch = now->epoch;
    oh_cluster_adopt(cluster, &pool);
}

oh_snapshot *oh_cluster_take(oh_cluster *cluster, oh_snapshot *seeds)
{
    oh_failure failure;

    if (UNEXPECTED(cluster->seeds != seeds)) {
        reconfigure(cluster, seeds);
    }
    oh_cluster_catch_up(cluster);
    if (UNEXPECTED(!cluster->map) && !oh_cluster_contact(cluster, &failure)) {
        oh_failure_throw(oh_failure_exception(&failure, NULL, seeds->pool->name.bytes, NULL));
        return NULL;
    }
    cluster->calls = OH_CALLS_PER_LOOK;
    oh_cluster_tend(cluster);
    return oh_cluster_newest(cluster);
}

bool oh_cluster_is_old(const oh_cluster *cluster, const oh_snapshot *map)
{
    return cluster->map != map || is_behind(cluster);
}

oh_snapshot *oh_cluster_newest(oh_cluster *cluster)
{
    oh_cluster_catch_up(cluster);
    cluster->map->references++;
    return cluster->map;
}

void oh_cluster_want(oh_cluster *cluster)
{
    cluster->wanted_ms = now_ms();
}

static uint64_t asked_ms(const oh_cluster *cluster)
{
    return cluster->place == OH_STORE_NONE ? cluster->asked_ms : oh_store_looked_ms(oh_segment_store(), cluster->place);
}

/* Nobody has asked since. */
static bool is_wanted(oh_cluster *cluster)
{
    if (asked_ms(cluster) > cluster->wanted_ms) {
        cluster->wanted_ms = 0;
    }
    return cluster->wanted_ms != 0;
}

void oh_cluster_tend(oh_cluster *cluster)
{
    if (UNEXPECTED(cluster->inquiry != NULL)) {
        oh_inquiry_move(cluster, 0);
        return;
    }
    if (EXPECTED(!cluster->wanted_ms && ++cluster->calls < OH_CALLS_PER_LOOK)) {
        return;
    }
    uint32_t every_ms = is_wanted(cluster) ? OH_ASK_EVERY_MS : OH_ASK_ANYWAY_MS;
    cluster->calls = 0;
    if (oh_cluster_is_my_turn(cluster, every_ms + up_to(every_ms / 4))) {
        oh_inquiry_begin(cluster, oh_clock_now_ns() + OH_ASK_EVERY_MS * UINT64_C(1000000));
    }
}

void oh_cluster_tend_waiting(oh_cluster *cluster)
{
    cluster->calls = OH_CALLS_PER_LOOK;
    oh_cluster_tend(cluster);
}

void oh_cluster_ask(oh_cluster *cluster, uint64_t deadline_ns)
{
    const oh_snapshot *before = cluster->map;
    bool has_asked = false;

    oh_cluster_want(cluster);
    while (cluster->map == before && oh_clock_now_ns() < deadline_ns) {
        if (cluster->inquiry) {
            oh_inquiry_move(cluster, OH_LOOK_AGAIN_MS);
        } else if (has_asked || (!is_wanted(cluster) && now_ms() > asked_ms(cluster) + OH_ANSWER_MS)) {
            break;
        } else if (is_wanted(cluster) && oh_cluster_is_my_turn(cluster, OH_ASK_EVERY_MS)) {
            oh_inquiry_begin(cluster, deadline_ns);
            has_asked = true;
        } else {
            oh_exchange_poll_patiently(NULL, 0, OH_LOOK_AGAIN_MS);
        }
        oh_cluster_catch_up(cluster);
    }
}

void oh_cluster_end_request(void)
{
    uint64_t end_ns = OHG(inquiring) ? oh_clock_now_ns() + OH_LAST_MOMENT_MS * UINT64_C(1000000) : 0;

    zend_try {
        while (OHG(inquiring) && oh_clock_now_ns() < end_ns) {
            oh_inquiry_move(OHG(inquiring), OH_LAST_MOMENT_MS);
        }
    } zend_end_try();
    while (OHG(inquiring)) {
        oh_inquiry_end(OHG(inquiring));
    }
}
