/*
 * The segment is an anonymous mapping: other users cannot open it by a name, and it leaves no file.
 * Its lock is a POSIX record lock on a memfd between processes, and a mutex between threads.
 * Callers do not wait for the lock in the kernel, because a stopped process may hold it.
 */
#include "engine/shared/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"
#include "core/base/memory.h"
#include "core/topology/topology_image.h"

#include "engine/base/environment.h"

#define OH_TOPOLOGIES_BYTES_MIN 16384
#define OH_IMAGE_BYTES_FIRST 16384 /* First guess; nearly all images are smaller. */
#define OH_LOCK_MS 1000
#define OH_PAUSE_NS_MIN 62500
#define OH_PAUSE_NS_MAX 4000000

/* What is kept without a lock. In the segment it comes before the store. */
typedef struct kept {
    _Alignas(64) oh_kept_cursors cursors;
    _Alignas(64) oh_kept_commands commands;
} kept;

static void *memory;
static size_t memory_bytes;
static oh_store *store;
static kept own; /* Used if there is no segment. */
static int lock_descriptor = -1;
/*
 * The last wait for the lock timed out. This process does not wait again before it has found the
 * lock free.
 */
static bool was_in_vain;
static pthread_mutex_t lock_mutex = PTHREAD_MUTEX_INITIALIZER;

static bool make_store(uint32_t nodes_max)
{
    uint8_t salt[OH_STORE_IDENTITY_BYTES];

    if (getrandom(salt, sizeof salt, 0) != sizeof salt) {
        return false;
    }
    store = oh_store_make((char *)memory + sizeof own, memory_bytes - sizeof own, nodes_max, salt);
    errno = ENOMEM; /* The only remaining reason. */
    return store != NULL;
}

static bool make_segment(size_t bytes, uint32_t nodes_max)
{
    memory_bytes = bytes + sizeof own;
    lock_descriptor = memfd_create("onehop-lock", MFD_CLOEXEC);
    if (lock_descriptor < 0) {
        return false;
    }
    memory = mmap(NULL, memory_bytes, PROT_READ | PROT_WRITE,
        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        memory = NULL;
        return false;
    }
    return make_store(nodes_max);
}

static uint32_t within_limit(int64_t nodes_max)
{
    uint32_t used = (uint32_t)OH_MAX(1, OH_MIN(nodes_max, OH_STORE_NODES_LIMIT));

    if (nodes_max != used) {
        oh_warn("OneHop: onehop.max_nodes = %" PRId64 " is not 1 to %d: %u is used", nodes_max,
            OH_STORE_NODES_LIMIT, (unsigned)used);
    }
    return used;
}

/* True if there is also room for a topology of some nodes. */
static bool is_large_enough(size_t bytes, uint32_t nodes_max)
{
    size_t needed = oh_store_bytes_min(nodes_max) + OH_TOPOLOGIES_BYTES_MIN;

    if (bytes < needed) {
        oh_warn("OneHop: onehop.shared_memory = %zu is too small for onehop.max_nodes = %u, which "
                "needs "
                "%zu KiB: each process keeps what it knows for itself",
            bytes, (unsigned)nodes_max, (needed + 1023) / 1024);
    }
    return bytes >= needed;
}

void oh_segment_startup(int64_t bytes, int64_t nodes_max)
{
    if (bytes <= 0) {
        return;
    }
    uint32_t nodes = within_limit(nodes_max);
    if (!is_large_enough((size_t)bytes, nodes)) {
        return;
    }
    if (!make_segment((size_t)bytes, nodes)) {
        oh_warn("OneHop: no memory shared by all workers (%s): each keeps what it knows for "
                "itself; see "
                "onehop.shared_memory",
            strerror(errno));
        oh_segment_shutdown();
    }
}

void oh_segment_shutdown(void)
{
    oh_store_release(store);
    store = NULL;
    if (memory) {
        munmap(memory, memory_bytes);
        memory = NULL;
    }
    if (lock_descriptor >= 0) {
        close(lock_descriptor);
        lock_descriptor = -1;
    }
}

oh_store *oh_segment_store(void)
{
    return store;
}

static kept *all_kept(void)
{
    return memory ? memory : &own;
}

oh_kept_cursors *oh_segment_cursors(void)
{
    return &all_kept()->cursors;
}

oh_kept_commands *oh_segment_commands(void)
{
    return &all_kept()->commands;
}

oh_image_copy oh_segment_copy(uint32_t pool)
{
    oh_image_copy copy = {.length = OH_IMAGE_BYTES_FIRST};
    size_t room;

    do { /* The image may have grown since. */
        oh_memory_release(copy.image);
        room = copy.length + copy.length / 4;
        copy.image = oh_memory_allocate(room);
        if (!copy.image) {
            return (oh_image_copy){.lacks_memory = true};
        }
        copy.length = oh_store_copy(store, pool, copy.image, room, &copy.generation);
    } while (copy.length > room);
    if (copy.length == 0 || !oh_image_is_valid(copy.image, copy.length)) {
        oh_memory_release(copy.image);
        copy.image = NULL;
    }
    return copy;
}

static bool set_lock(short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_len = 1};
    int result;

    while ((result = fcntl(lock_descriptor, F_SETLK, &lock)) < 0 && errno == EINTR) {
    }
    return result == 0;
}

/* For work that another process can do later. */
bool oh_segment_try_lock(void)
{
    pthread_mutex_lock(&lock_mutex);
    bool is_locked = set_lock(F_WRLCK);
    if (!is_locked) {
        pthread_mutex_unlock(&lock_mutex);
    }
    return is_locked;
}

/*
 * Retries after 1/16, 1/8 ... 4 ms. Processes rarely hold the lock for longer, but a stopped
 * process may hold it forever.
 */
static bool wait_for_lock(void)
{
    uint64_t end_ns = oh_clock_now_ns() + (was_in_vain ? 0 : OH_LOCK_MS * UINT64_C(1000000));
    struct timespec pause = {.tv_nsec = OH_PAUSE_NS_MIN};
    bool is_locked;

    while (!(is_locked = set_lock(F_WRLCK)) && oh_clock_now_ns() < end_ns) {
        nanosleep(&pause, NULL);
        pause.tv_nsec = OH_MIN(pause.tv_nsec * 2, OH_PAUSE_NS_MAX);
    }
    was_in_vain = !is_locked;
    return is_locked;
}

bool oh_segment_lock(void)
{
    pthread_mutex_lock(&lock_mutex);
    bool is_locked = wait_for_lock();
    if (!is_locked) {
        pthread_mutex_unlock(&lock_mutex);
    }
    return is_locked;
}

void oh_segment_unlock(void)
{
    set_lock(F_UNLCK);
    pthread_mutex_unlock(&lock_mutex);
}

/* ---- Workers ---- */

/*
 * The kernel reuses process ids, so the time when a process began is also checked. It is in /proc,
 * in ticks since the boot, including the time the machine was suspended.
 *
 * A process that began later is another one with the same id. A dead process stays listed until its
 * parent reaps it, which a busy master does late; its sockets are closed by then. (Other threads
 * may outlive the first thread of a process and keep its sockets.)
 */
bool oh_worker_is_alive(uint32_t pid, uint64_t since_ms)
{
    char path[32], text[1024], state;
    long threads_count;
    unsigned long long ticks;

    snprintf(path, sizeof path, "/proc/%u/stat", (unsigned)pid);
    FILE *file = fopen(path, "re");
    if (!file) {
        return kill((pid_t)pid, 0) == 0 || errno != ESRCH;
    }
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    const char *at = strrchr(text, ')'); /* The name of a program may contain anything. */
    if (!at ||
        sscanf(at + 1,
            " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld %*d %llu",
            &state, &threads_count, &ticks) != 3) {
        return true;
    }
    uint64_t began_ms = ticks * 1000 / (uint64_t)sysconf(_SC_CLK_TCK);
    return (state != 'Z' || threads_count > 1) &&
           began_ms <= since_ms + oh_clock_asleep_ns() / 1000000 + 1000;
}
