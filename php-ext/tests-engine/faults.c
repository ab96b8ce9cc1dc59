/*
 * Each wrapped call counts itself, and fails if it is the one that was chosen. A call that may do a
 * part of its work has one more way to fail: it handles a single byte.
 */
#include "faults.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>

#define ONE_BYTE (-1) /* Instead of an errno: the call handles a single byte. */
#define COUNT(list) (sizeof(list) / sizeof *(list))

static bool is_armed, lasts;
static faults_door door;
static unsigned number, variant;
static faults_report report;
static long memory;
static uint32_t passed_s;

void faults_arm(faults_door which, unsigned nth, unsigned way, bool is_lasting)
{
    door = which;
    number = nth;
    variant = way;
    lasts = is_lasting;
    report = (faults_report){.variants = 1};
    is_armed = true;
}

faults_report faults_disarm(void)
{
    is_armed = false;
    return report;
}

/* Returns how the call fails: an errno or ONE_BYTE. 0 if it does not fail. */
static int fault(faults_door which, const char *name, const int *errors, size_t count)
{
    if (!is_armed || which != door) {
        return 0;
    }
    report.calls++;
    if (report.calls == number) {
        report.has_failed = true;
        report.name = name;
        report.variants = (unsigned)count;
    } else if (report.calls < number || !lasts) {
        return 0;
    }
    int error = errors[variant < count ? variant : 0];
    errno = error == ONE_BYTE ? 0 : error;
    return error;
}

/* ---- Memory ---- */

static bool has_none(const char *name)
{
    static const int errors[] = {ENOMEM};

    return fault(FAULTS_MEMORY, name, errors, COUNT(errors)) != 0;
}

static void *counted(void *allocated)
{
    memory += allocated != NULL;
    return allocated;
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
    return has_none("malloc") ? NULL : counted(__real_malloc(size));
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
    return has_none("calloc") ? NULL : counted(__real_calloc(count, size));
}

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size)
{
    if (has_none("realloc")) {
        return NULL;
    }
    void *grown = __real_realloc(old, size);
    memory += !old && grown;
    return grown;
}

char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__wrap_strdup(const char *text)
{
    return has_none("strdup") ? NULL : counted(__real_strdup(text));
}

void __real_free(void *old);
void __wrap_free(void *old);
void __wrap_free(void *old)
{
    memory -= old != NULL;
    __real_free(old);
}

long faults_memory(void)
{
    return memory;
}

/* ---- The kernel ---- */

#define WRAP(result, name, parameters, arguments, failed, ...)                                     \
    result __real_##name parameters;                                                               \
    result __wrap_##name parameters;                                                               \
    result __wrap_##name parameters                                                                \
    {                                                                                              \
        static const int errors[] = {__VA_ARGS__};                                                 \
        return fault(FAULTS_KERNEL, #name, errors, COUNT(errors)) ? failed                         \
                                                                  : __real_##name arguments;       \
    }

WRAP(
    int, socket, (int family, int type, int protocol), (family, type, protocol), -1, EMFILE, ENOMEM)
WRAP(int, connect, (int fd, const struct sockaddr *address, socklen_t length),
    (fd, address, length), -1, ECONNREFUSED, EADDRNOTAVAIL, EAGAIN)
WRAP(int, setsockopt, (int fd, int level, int name, const void *value, socklen_t length),
    (fd, level, name, value, length), -1, ENOMEM)
WRAP(int, getsockopt, (int fd, int level, int name, void *value, socklen_t *length),
    (fd, level, name, value, length), -1, ENOBUFS)
WRAP(int, poll, (struct pollfd * descriptors, nfds_t count, int ms), (descriptors, count, ms), -1,
    EINTR, ENOMEM)
WRAP(int, ppoll,
    (struct pollfd * descriptors, nfds_t count, const struct timespec *limit, const sigset_t *mask),
    (descriptors, count, limit, mask), -1, EINTR, ENOMEM)
WRAP(int, socketpair, (int family, int type, int protocol, int pair[2]),
    (family, type, protocol, pair), -1, EMFILE)
WRAP(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags), -1,
    EAGAIN, ETOOMANYREFS)
WRAP(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags), -1,
    EAGAIN, EINTR, ENOMEM)
WRAP(void *, mmap, (void *at, size_t length, int protection, int flags, int fd, off_t offset),
    (at, length, protection, flags, fd, offset), MAP_FAILED, ENOMEM)
WRAP(int, memfd_create, (const char *name, unsigned flags), (name, flags), -1, EMFILE)
WRAP(ssize_t, getrandom, (void *bytes, size_t length, unsigned flags), (bytes, length, flags), -1,
    ENOSYS)
WRAP(int, epoll_create1, (int flags), (flags), -1, EMFILE)
WRAP(int, epoll_ctl, (int fd, int operation, int of, struct epoll_event *event),
    (fd, operation, of, event), -1, ENOMEM)
WRAP(int, epoll_wait, (int fd, struct epoll_event *events, int count, int ms),
    (fd, events, count, ms), -1, EINTR)
WRAP(int, timerfd_create, (int clock, int flags), (clock, flags), -1, EMFILE)
WRAP(int, stat, (const char *path, struct stat *found), (path, found), -1, ENOENT, EACCES)
WRAP(int, fstat, (int fd, struct stat *found), (fd, found), -1, EIO)
WRAP(int, faccessat, (int fd, const char *path, int mode, int flags), (fd, path, mode, flags), -1,
    ENOENT, EACCES)
WRAP(
    FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL, EMFILE, ENOMEM, ENOENT)
WRAP(int, getrlimit, (int resource, struct rlimit *limit), (resource, limit), -1, EINVAL)
WRAP(int, getaddrinfo,
    (const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **found),
    (host, service, hints, found), EAI_MEMORY, ENOMEM)

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    static const int errors[] = {EMFILE, ENOENT, EACCES};

    return fault(FAULTS_KERNEL, "open", errors, COUNT(errors)) ? -1 : __real_open(path, flags, 0);
}

int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...)
{
    static const int errors[] = {EINTR, ENOLCK};
    va_list arguments;

    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    return fault(FAULTS_KERNEL, "fcntl", errors, COUNT(errors))
               ? -1
               : __real_fcntl(fd, command, argument);
}

/* A recv that may wait returns EAGAIN only at its timeout. So EAGAIN is left out for it. */
ssize_t __real_recv(int fd, void *bytes, size_t size, int flags);
ssize_t __wrap_recv(int fd, void *bytes, size_t size, int flags);
ssize_t __wrap_recv(int fd, void *bytes, size_t size, int flags)
{
    static const int errors[] = {ONE_BYTE, ECONNRESET, EINTR, ENOMEM, EAGAIN};
    bool may_wait = !(flags & MSG_DONTWAIT);
    int error = fault(FAULTS_KERNEL, "recv", errors, COUNT(errors) - may_wait);

    return error && error != ONE_BYTE ? -1 : __real_recv(fd, bytes, error ? 1 : size, flags);
}

ssize_t __real_send(int fd, const void *bytes, size_t size, int flags);
ssize_t __wrap_send(int fd, const void *bytes, size_t size, int flags);
ssize_t __wrap_send(int fd, const void *bytes, size_t size, int flags)
{
    static const int errors[] = {ONE_BYTE, EPIPE, EINTR, ENOBUFS, EAGAIN};
    int error = fault(FAULTS_KERNEL, "send", errors, COUNT(errors));

    return error && error != ONE_BYTE ? -1 : __real_send(fd, bytes, error ? 1 : size, flags);
}

ssize_t __real_read(int fd, void *bytes, size_t size);
ssize_t __wrap_read(int fd, void *bytes, size_t size);
ssize_t __wrap_read(int fd, void *bytes, size_t size)
{
    static const int errors[] = {ONE_BYTE, EIO, EINTR};
    int error = fault(FAULTS_KERNEL, "read", errors, COUNT(errors));

    return error && error != ONE_BYTE ? -1 : __real_read(fd, bytes, error ? 1 : size);
}

unsigned faults_descriptors(void)
{
    DIR *directory = opendir("/proc/self/fd");
    unsigned count = 0;

    while (directory && readdir(directory)) {
        count++;
    }
    closedir(directory);
    return count;
}

/* ---- Time ---- */

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    int result = __real_clock_gettime(clock, now);

    now->tv_sec += (time_t)passed_s;
    return result;
}

void faults_pass_time(uint32_t seconds)
{
    passed_s += seconds;
}
