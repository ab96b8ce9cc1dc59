/*
 * A module of redis with commands that OneHop's table does not hold, one of each kind that a node
 * can describe. Tests compile it and load it into their servers:
 *
 *     cc -shared -fPIC -o module.so conformance/lab/module.c
 *
 * Debian does not package redismodule.h, so what is needed of it is declared here.
 */
#include <stddef.h>
#include <stdint.h>

typedef struct context context;
typedef struct string string;
typedef struct reply reply;
typedef struct command command;
typedef int handler(context *, string **, int);

typedef struct key_spec {
    const char *notes;
    uint64_t flags;
    int begin_type; /* 2: by index, 3: by keyword. */
    union {
        int index;
        struct {
            const char *word;
            int from;
        } keyword;
    } begin;
    int find_type; /* 2: a range, 3: by number. */
    union {
        struct {
            int last, step, limit;
        } range;
        struct {
            int index, first, step;
        } number;
    } find;
} key_spec;

typedef struct info_version {
    int version;
    size_t history_bytes, key_spec_bytes, argument_bytes;
} info_version;

typedef struct info {
    const info_version *version;
    const char *summary, *complexity, *since;
    void *history;
    const char *tips;
    int arity;
    key_spec *key_specs;
    void *arguments;
} info;

static int (*get_api)(const char *, void *);
static void (*set_attributes)(context *, const char *, int, int);
static int (*create)(context *, const char *, handler *, const char *, int, int, int);
static int (*create_child)(command *, const char *, handler *, const char *, int, int, int);
static command *(*get_command)(context *, const char *);
static int (*set_info)(command *, const info *);
static reply *(*call)(context *, const char *, const char *, ...);
static int (*answer)(context *, reply *);
static int (*answer_number)(context *, long long);
static int (*is_keys_request)(context *);
static void (*key_at)(context *, int);

/* ONEHOP.SET key value */
static int set(context *ctx, string **words, int count)
{
    (void)count;
    return answer(ctx, call(ctx, "SET", "ss!", words[1], words[2]));
}

/* ONEHOP.GET key */
static int get(context *ctx, string **words, int count)
{
    (void)count;
    return answer(ctx, call(ctx, "GET", "s", words[1]));
}

/* ONEHOP.LAST value key: only the node finds its key, which is the last word. */
static int last(context *ctx, string **words, int count)
{
    if (is_keys_request(ctx)) {
        key_at(ctx, count - 1);
        return 0;
    }
    return answer(ctx, call(ctx, "SET", "ss!", words[count - 1], words[1]));
}

/* ONEHOP.COUNT number key ... */
static int count_keys(context *ctx, string **words, int count)
{
    return answer(ctx, call(ctx, "EXISTS", "v", words + 2, (size_t)(count - 2)));
}

/* ONEHOP.SIZE, ONEHOP.PLAIN */
static int size(context *ctx, string **words, int count)
{
    (void)words, (void)count;
    return answer(ctx, call(ctx, "DBSIZE", ""));
}

/* ONEHOP.WAIT key, ONEHOP.LISTEN channel */
static int nothing(context *ctx, string **words, int count)
{
    (void)words, (void)count;
    return answer_number(ctx, 0);
}

/* ONEHOP.BOX PUT key value */
static int put(context *ctx, string **words, int count)
{
    (void)count;
    return answer(ctx, call(ctx, "SET", "ss!", words[2], words[3]));
}

static void describe(context *ctx)
{
    static const info_version version = {1, 16, sizeof(key_spec), 80};
    static key_spec counted[2] = {{.flags = 1 << 0 | 1 << 4,
        .begin_type = 2,
        .begin.index = 1,
        .find_type = 3,
        .find.number = {0, 1, 1}}};
    info of_count = {.version = &version, .arity = -3, .key_specs = counted};
    info of_size = {.version = &version,
        .arity = 1,
        .tips = "request_policy:all_shards response_policy:agg_sum"};

    set_info(get_command(ctx, "onehop.count"), &of_count);
    set_info(get_command(ctx, "onehop.size"), &of_size);
}

static void find_api(context *ctx)
{
    static const struct {
        const char *name;
        void *place;
    } functions[] = {{"RedisModule_SetModuleAttribs", &set_attributes},
        {"RedisModule_CreateCommand", &create}, {"RedisModule_CreateSubcommand", &create_child},
        {"RedisModule_GetCommand", &get_command}, {"RedisModule_SetCommandInfo", &set_info},
        {"RedisModule_Call", &call}, {"RedisModule_ReplyWithCallReply", &answer},
        {"RedisModule_ReplyWithLongLong", &answer_number},
        {"RedisModule_IsKeysPositionRequest", &is_keys_request}, {"RedisModule_KeyAtPos", &key_at}};

    get_api = *(int (**)(const char *, void *))ctx;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        get_api(functions[i].name, functions[i].place);
    }
}

int RedisModule_OnLoad(context *ctx, string **words, int count)
{
    (void)words, (void)count;
    find_api(ctx);
    set_attributes(ctx, "onehop", 1, 1);
    create(ctx, "onehop.set", set, "write deny-oom", 1, 1, 1);
    create(ctx, "onehop.get", get, "readonly fast", 1, 1, 1);
    create(ctx, "onehop.last", last, "write getkeys-api", 0, 0, 0);
    create(ctx, "onehop.count", count_keys, "readonly", 0, 0, 0);
    create(ctx, "onehop.size", size, "readonly", 0, 0, 0);
    create(ctx, "onehop.plain", size, "readonly", 0, 0, 0);
    create(ctx, "onehop.wait", nothing, "write blocking", 1, 1, 1);
    create(ctx, "onehop.listen", nothing, "pubsub", 0, 0, 0);
    create(ctx, "onehop.box", NULL, "", 0, 0, 0);
    create_child(get_command(ctx, "onehop.box"), "put", put, "write", 2, 2, 1);
    describe(ctx);
    return 0;
}
