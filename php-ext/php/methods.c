/*
 * The table. Names are phpredis', in lower case, of all versions from 5.3.7 on.
 *
 * A method belongs to the first group if one of its arguments is the one key it is about. Blocking commands,
 * transactions, scripts, subscriptions, and commands about several keys or about none are not served yet: they are
 * not here, so they are refused.
 */
#include "php_onehop.h"

#include "zend_extensions.h"

#include "batch.h"
#include "local.h"
#include "methods.h"
#include "route.h"
#include "split.h"

typedef struct oh_row {
    const char *name;
    zif_handler handler;
    uint8_t key;
    bool is_read_only;
    bool may_store;
} oh_row;

#define READ(name)         {name, oh_route_method, 1, true, false},
#define WRITE(name)        {name, oh_route_method, 1, false, false},
#define READ_2(name)       {name, oh_route_method, 2, true, false},
#define WRITE_2(name)      {name, oh_route_method, 2, false, false},
#define MAY_STORE(name)    {name, oh_route_method, 1, false, true},
#define SPLIT(name, read, handler) {name, handler, 1, read, false},
#define LOCAL(name, handler)       {name, handler, 0, true, false},

static const oh_row rows[] = {
    /* Keys of any type. */
    READ("dump") WRITE("restore") READ("type") READ_2("object") WRITE("move")
    WRITE("expire") WRITE("settimeout") WRITE("expireat") WRITE("pexpire") WRITE("pexpireat") WRITE("persist")
    READ("ttl") READ("pttl") READ("expiretime") READ("pexpiretime")
    MAY_STORE("sort") READ("sort_ro")

    /* Strings. */
    READ("get") READ("getwithmeta") WRITE("getdel") WRITE("getex") WRITE("getset") READ("getrange") READ("substr")
    READ("getbit") READ("strlen") READ("bitcount") READ("bitpos") READ("digest")
    WRITE("set") WRITE("setex") WRITE("psetex") WRITE("setnx") WRITE("setrange") WRITE("setbit") WRITE("append")
    WRITE("incr") WRITE("incrby") WRITE("incrbyfloat") WRITE("decr") WRITE("decrby")
    WRITE("delex") WRITE("delifeq")

    /* Hashes. */
    READ("hget") READ("hgetwithmeta") READ("hgetall") READ("hmget") READ("hexists") READ("hkeys") READ("hvals")
    READ("hlen") READ("hstrlen") READ("hrandfield") READ("hscan")
    WRITE("hset") WRITE("hsetnx") WRITE("hmset") WRITE("hdel") WRITE("hincrby") WRITE("hincrbyfloat")
    WRITE("hgetdel") WRITE("hgetex") WRITE("hsetex")
    WRITE("hexpire") WRITE("hpexpire") WRITE("hexpireat") WRITE("hpexpireat") WRITE("hpersist")
    READ("httl") READ("hpttl") READ("hexpiretime") READ("hpexpiretime")

    /* Lists. */
    READ("lindex") READ("lget") READ("llen") READ("lsize") READ("lpos") READ("lrange") READ("lgetrange")
    WRITE("lpush") WRITE("lpushx") WRITE("rpush") WRITE("rpushx") WRITE("lpop") WRITE("rpop")
    WRITE("linsert") WRITE("lset") WRITE("lrem") WRITE("lremove") WRITE("ltrim") WRITE("listtrim")

    /* Sets. */
    READ("scard") READ("ssize") READ("sismember") READ("scontains") READ("smismember") READ("smembers")
    READ("sgetmembers") READ("srandmember") READ("sscan")
    WRITE("sadd") WRITE("saddarray") WRITE("srem") WRITE("sremove") WRITE("spop")

    /* Sorted sets. */
    READ("zcard") READ("zsize") READ("zcount") READ("zlexcount") READ("zscore") READ("zmscore") READ("zrank")
    READ("zrevrank") READ("zrange") READ("zrevrange") READ("zreverserange") READ("zrangebylex")
    READ("zrevrangebylex") READ("zrangebyscore") READ("zrevrangebyscore") READ("zrandmember") READ("zscan")
    WRITE("zadd") WRITE("zincrby") WRITE("zrem") WRITE("zdelete") WRITE("zremove") WRITE("zpopmax") WRITE("zpopmin")
    WRITE("zremrangebylex") WRITE("zremrangebyrank") WRITE("zdeleterangebyrank") WRITE("zremrangebyscore")
    WRITE("zdeleterangebyscore") WRITE("zremoverangebyscore")

    /* Places, counters, streams, vectors. */
    WRITE("geoadd") READ("geodist") READ("geohash") READ("geopos") READ("geosearch")
    MAY_STORE("georadius") MAY_STORE("georadiusbymember") READ("georadius_ro") READ("georadiusbymember_ro")
    WRITE("pfadd") READ("pfcount")
    WRITE("xack") WRITE("xackdel") WRITE("xadd") WRITE("xautoclaim") WRITE("xclaim") WRITE("xdel") WRITE("xdelex")
    READ("xlen") READ("xpending") READ("xrange") READ("xrevrange") WRITE("xtrim") WRITE_2("xgroup") READ_2("xinfo")
    WRITE("vadd") READ("vcard") READ("vdim") READ("vemb") READ("vgetattr") READ("vinfo") READ("vismember")
    READ("vlinks") READ("vrandmember") READ("vrange") WRITE("vrem") WRITE("vsetattr") READ("vsim")

    /* Many keys: split by node, sent at once, put together again. */
    SPLIT("mget", true, oh_split_values) SPLIT("getmultiple", true, oh_split_values)
    SPLIT("exists", true, oh_split_count) SPLIT("touch", false, oh_split_count)
    SPLIT("del", false, oh_split_count) SPLIT("delete", false, oh_split_count) SPLIT("unlink", false, oh_split_count)
    SPLIT("mset", false, oh_split_pairs)

    /* Many commands. */
    LOCAL("pipeline", oh_batch_pipeline) LOCAL("multi", oh_batch_multi) LOCAL("exec", oh_batch_exec)
    LOCAL("discard", oh_batch_discard) LOCAL("getmode", oh_batch_get_mode)

    /* No command at all. */
    LOCAL("__destruct", oh_local_nothing) LOCAL("close", oh_local_close) LOCAL("isconnected", oh_local_is_connected)
    LOCAL("setoption", oh_local_set_option) LOCAL("getoption", oh_local_get_option)
    LOCAL("getlasterror", oh_local_get_last_error) LOCAL("clearlasterror", oh_local_clear_last_error)
    LOCAL("gettimeout", oh_local_get_timeout) LOCAL("getreadtimeout", oh_local_get_timeout)
    LOCAL("getdbnum", oh_local_get_database)
    LOCAL("_prefix", oh_local_forward) LOCAL("_serialize", oh_local_forward) LOCAL("_unserialize", oh_local_forward)
    LOCAL("_pack", oh_local_forward) LOCAL("_unpack", oh_local_forward) LOCAL("_digest", oh_local_forward)
    LOCAL("_compress", oh_local_forward) LOCAL("_uncompress", oh_local_forward)
};

int oh_methods_slot;

zend_result oh_methods_startup(void)
{
    oh_methods_slot = zend_get_resource_handle("onehop");
    return oh_methods_slot < 0 ? FAILURE : SUCCESS;
}

static const oh_row *find_row(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

zend_result oh_methods_take_over(zend_function *inherited, zend_function *original)
{
    static const oh_row refused = {"", oh_local_refuse, 0, false, false};
    zend_string *name = zend_string_tolower_ex(inherited->common.function_name, true);
    const oh_row *row = find_row(ZSTR_VAL(name));

    zend_string_release_ex(name, true);
    if (original->type != ZEND_INTERNAL_FUNCTION) {
        return FAILURE;
    }
    if (!row) {
        row = &refused;
    }
    oh_method *method = pecalloc(1, sizeof *method, true);
    method->original = original;
    method->key = row->key;
    method->is_read_only = row->is_read_only;
    method->may_store = row->may_store;
    inherited->internal_function.handler = row->handler;
    inherited->internal_function.reserved[oh_methods_slot] = method;
    return SUCCESS;
}

void oh_methods_give_back(zend_function *inherited)
{
    pefree(inherited->internal_function.reserved[oh_methods_slot], true);
    inherited->internal_function.reserved[oh_methods_slot] = NULL;
}
