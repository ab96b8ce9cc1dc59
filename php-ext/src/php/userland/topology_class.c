/*
 * OneHop\Topology and OneHop\Node: placement for PHP code and for the conformance runner.
 *
 * A Topology shares the snapshot of clients of the same file and places keys as they do, without
 * ejected nodes. A Topology with dead servers, or from a text, is built separately. Node objects
 * are made once and reused until a node is ejected or comes back.
 */
#include "php/base/zend.h"

#include "core/hash/hash.h"

#include "php/client/configuration.h"
#include "php/exception/exception.h"
#include "engine/snapshot/snapshot.h"
#include "engine/snapshot/config_image.h"
#include "php/userland/userland.h"

typedef struct oh_topology_object {
    oh_snapshot *snapshot; /* Shared. NULL if this object owns its topology, `own`. */
    oh_topology *own;
    oh_live_ring *ring; /* A counted reference. NULL if no node is ejected. */
    zval *nodes;        /* OneHop\Node objects by index; UNDEF until first used. */
    uint32_t nodes_count;
    /* Sentinels watch the masters, so nodes are compared by name, not by address. */
    bool is_watched;
    zend_object object;
} oh_topology_object;

zend_class_entry *oh_topology_class;
zend_class_entry *oh_node_class;

static zend_object_handlers handlers;

static oh_topology_object *of(zend_object *object)
{
    return (oh_topology_object *)((char *)object - offsetof(oh_topology_object, object));
}

static const oh_topology *topology_of(const oh_topology_object *this)
{
    return this->ring       ? this->ring->topology
           : this->snapshot ? this->snapshot->topology
                            : this->own;
}

static void forget_nodes(oh_topology_object *this)
{
    for (uint32_t i = 0; i < this->nodes_count; i++) {
        zval_ptr_dtor(&this->nodes[i]);
        ZVAL_UNDEF(&this->nodes[i]);
    }
}

static void free_topology(zend_object *object)
{
    oh_topology_object *this = of(object);

    forget_nodes(this);
    if (this->ring) {
        oh_live_ring_release(this->ring);
    }
    if (this->nodes) {
        efree(this->nodes);
    }
    if (this->own) {
        efree(this->own);
    }
    if (this->snapshot) {
        oh_snapshot_release(this->snapshot);
    }
    zend_object_std_dtor(object);
}

zend_object *oh_topology_object_create(zend_class_entry *class)
{
    oh_topology_object *this = zend_object_alloc(sizeof *this, class);

    if (!handlers.offset) {
        handlers = *zend_get_std_object_handlers();
        handlers.offset = offsetof(oh_topology_object, object);
        handlers.free_obj = free_topology;
        handlers.clone_obj = NULL;
    }
    zend_object_std_init(&this->object, class);
    object_properties_init(&this->object, class);
    this->object.handlers = &handlers;
    return &this->object;
}

/* ---- Construction ---- */

/* Returns the flag of the server with this name. */
static bool *flag_of(const oh_server_pool *pool, bool *ejected, const zend_string *name)
{
    size_t servers = oh_server_pool_count_masters(pool);

    for (size_t i = 0; i < servers; i++) {
        if (zend_string_equals_cstr(
                name, pool->servers[i].name.bytes, pool->servers[i].name.length)) {
            return &ejected[i];
        }
    }
    return NULL;
}

static bool mark_dead(const oh_server_pool *pool, bool *ejected, HashTable *dead)
{
    zval *entry;

    ZEND_HASH_FOREACH_VAL(dead, entry)
    {
        ZVAL_DEREF(entry);
        bool *flag = Z_TYPE_P(entry) == IS_STRING ? flag_of(pool, ejected, Z_STR_P(entry)) : NULL;

        if (!flag) {
            zend_value_error("$dead must be names of servers of server pool %s", pool->name.bytes);
            return false;
        }
        *flag = true;
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

static bool build_own(oh_topology_object *this, const oh_server_pool *pool, HashTable *dead)
{
    size_t size = oh_topology_size(pool);
    bool *ejected = ecalloc(pool->servers_count, sizeof *ejected);
    bool is_known = !dead || mark_dead(pool, ejected, dead);

    if (is_known) {
        this->own = emalloc(size);
        oh_topology_build(pool, ejected, this->own, size);
    }
    efree(ejected);
    return is_known;
}

static void be_ready(oh_topology_object *this, const oh_server_pool *pool)
{
    this->is_watched = pool->sentinels.length > 0;
    this->nodes_count = oh_topology_nodes_count(topology_of(this));
    this->nodes = ecalloc(this->nodes_count, sizeof *this->nodes);
}

ZEND_METHOD(OneHop_Topology, __construct)
{
    oh_topology_object *this = of(Z_OBJ_P(ZEND_THIS));
    zend_string *pool, *path = NULL;
    HashTable *directives = NULL;
    HashTable *dead = NULL;

    ZEND_PARSE_PARAMETERS_START(1, 3)
    Z_PARAM_STR(pool)
    Z_PARAM_OPTIONAL
    Z_PARAM_ARRAY_HT_OR_STR_OR_NULL(directives, path)
    Z_PARAM_ARRAY_HT(dead)
    ZEND_PARSE_PARAMETERS_END();
    if (this->nodes) {
        zend_throw_error(NULL, "OneHop\\Topology is constructed already");
        return;
    }
    oh_snapshot *snapshot = oh_configuration_take(pool, path, directives);
    if (!snapshot) {
        return;
    }
    if (!dead || zend_hash_num_elements(dead) == 0) {
        this->snapshot = snapshot;
        be_ready(this, snapshot->pool);
        return;
    }
    if (build_own(this, snapshot->pool, dead)) {
        be_ready(this, snapshot->pool);
    }
    oh_snapshot_release(snapshot);
}

/* Throws if the argument is the path of a file instead of its text. */
static bool is_text(const zend_string *text, uint32_t argument)
{
    size_t length = ZSTR_LEN(text);

    if (*ZSTR_VAL(text) == '/' && oh_config_path_length(ZSTR_VAL(text), length) == length) {
        zend_argument_value_error(
            argument, "must be the text of a configuration, not the path of a file");
        return false;
    }
    return true;
}

ZEND_METHOD(OneHop_Topology, fromText)
{
    zend_string *name, *text;
    HashTable *dead = NULL;
    oh_config_errors errors;
    oh_config *config;
    oh_failure failure;

    ZEND_PARSE_PARAMETERS_START(2, 3)
    Z_PARAM_STR(name)
    Z_PARAM_STR(text)
    Z_PARAM_OPTIONAL
    Z_PARAM_ARRAY_HT(dead)
    ZEND_PARSE_PARAMETERS_END();
    if (!is_text(text, 2)) {
        return;
    }
    if (!oh_config_parse(ZSTR_VAL(text), ZSTR_LEN(text), getenv, &config, &errors)) {
        oh_config_image_refuse(&failure, "Configuration", &errors);
        oh_failure_throw(oh_failure_exception(&failure, NULL, NULL, NULL));
        return;
    }
    const oh_server_pool *pool =
        oh_config_image_find(config, ZSTR_VAL(name), ZSTR_LEN(name), "the configuration", &failure);
    if (!pool) {
        oh_failure_throw(oh_failure_exception(&failure, NULL, NULL, NULL));
    } else {
        object_init_ex(return_value, oh_topology_class);
        if (build_own(of(Z_OBJ_P(return_value)), pool, dead)) {
            be_ready(of(Z_OBJ_P(return_value)), pool);
        }
    }
    oh_config_free(config);
}

static void add_error(zval *to, const oh_config_error *error)
{
    add_assoc_long(to, "line", error->line);
    add_assoc_string(to, "reason", error->reason);
}

ZEND_METHOD(OneHop_Topology, check)
{
    zend_string *text;
    zval list;
    oh_config_errors errors;
    oh_config *config;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(text)
    ZEND_PARSE_PARAMETERS_END();
    if (!is_text(text, 1)) {
        return;
    }
    if (oh_config_parse(ZSTR_VAL(text), ZSTR_LEN(text), getenv, &config, &errors)) {
        oh_config_free(config);
        RETURN_NULL();
    }
    array_init_size(return_value, 4);
    add_error(return_value, &errors.list[0]);
    array_init_size(&list, (uint32_t)errors.count);
    for (size_t i = 0; i < errors.count; i++) {
        zval one;

        array_init_size(&one, 2);
        add_error(&one, &errors.list[i]);
        add_next_index_zval(&list, &one);
    }
    add_assoc_zval(return_value, "errors", &list);
    add_assoc_long(return_value, "more", (zend_long)errors.more);
}

ZEND_METHOD(OneHop_Topology, hash)
{
    zend_string *algorithm, *key;
    oh_hash hash;

    ZEND_PARSE_PARAMETERS_START(2, 2)
    Z_PARAM_STR(algorithm)
    Z_PARAM_STR(key)
    ZEND_PARSE_PARAMETERS_END();
    if (!oh_hash_find(ZSTR_VAL(algorithm), ZSTR_LEN(algorithm), &hash)) {
        zend_argument_value_error(1, "must be the name of a hash of a configuration");
        return;
    }
    RETURN_LONG(oh_hash_function(hash)((const uint8_t *)ZSTR_VAL(key), ZSTR_LEN(key)));
}

ZEND_METHOD(OneHop_Topology, slot)
{
    zend_string *key;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(key)
    ZEND_PARSE_PARAMETERS_END();
    RETURN_LONG(oh_key_slot((oh_bytes){(const uint8_t *)ZSTR_VAL(key), ZSTR_LEN(key)}));
}

ZEND_METHOD(OneHop_Topology, status)
{
    ZEND_PARSE_PARAMETERS_NONE();
    oh_status_show(return_value);
}

/* ---- Methods ---- */

static void follow_ejection(oh_topology_object *this)
{
    oh_live_ring *ring = oh_ejection_follow(this->snapshot);

    if (ring != this->ring) {
        forget_nodes(this);
        if (ring) {
            oh_live_ring_hold(ring);
        }
        if (this->ring) {
            oh_live_ring_release(this->ring);
        }
        this->ring = ring;
    }
}

static oh_topology_object *current(zend_object *object)
{
    oh_topology_object *this = of(object);

    if (!this->nodes) {
        zend_throw_error(NULL, "OneHop\\Topology was not constructed");
        return NULL;
    }
    if (this->snapshot && this->snapshot->ejects) {
        follow_ejection(this);
    }
    return this;
}

static oh_topology_object *this_topology(zend_execute_data *execute_data)
{
    return current(Z_OBJ_P(ZEND_THIS));
}

static void set_text(zend_object *object, const char *name, size_t length, const oh_text *text)
{
    zval value;

    if (text->bytes) {
        ZVAL_STRINGL(&value, text->bytes, text->length);
    } else {
        ZVAL_NULL(&value);
    }
    zend_update_property(oh_node_class, object, name, length, &value);
    zval_ptr_dtor(&value);
}

static zval *node_object(oh_topology_object *this, uint32_t index)
{
    zval *place = &this->nodes[index];

    if (Z_TYPE_P(place) == IS_OBJECT) {
        return place;
    }
    oh_node node = oh_topology_node(topology_of(this), index);
    object_init_ex(place, oh_node_class);
    zend_object *object = Z_OBJ_P(place);
    zend_update_property_long(oh_node_class, object, ZEND_STRL("index"), node.index);
    set_text(object, ZEND_STRL("name"), &node.name);
    set_text(object, ZEND_STRL("host"), &node.host);
    set_text(object, ZEND_STRL("path"), &node.path);
    if (node.path.bytes) {
        zend_update_property_null(oh_node_class, object, ZEND_STRL("port"));
    } else {
        zend_update_property_long(oh_node_class, object, ZEND_STRL("port"), node.port);
    }
    zend_update_property_long(oh_node_class, object, ZEND_STRL("weight"), node.weight);
    zend_update_property_bool(oh_node_class, object, ZEND_STRL("isEjected"), node.is_ejected);
    if (oh_node_has_role(&node)) {
        zend_update_property_string(
            oh_node_class, object, ZEND_STRL("role"), oh_role_name(node.role));
    } else {
        zend_update_property_null(oh_node_class, object, ZEND_STRL("role"));
    }
    return place;
}

ZEND_METHOD(OneHop_Topology, locate)
{
    oh_topology_object *this = this_topology(execute_data);
    zend_string *key;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(key)
    ZEND_PARSE_PARAMETERS_END();
    if (this) {
        uint32_t index =
            oh_topology_locate(topology_of(this), (const uint8_t *)ZSTR_VAL(key), ZSTR_LEN(key));

        RETURN_COPY(node_object(this, index));
    }
}

ZEND_METHOD(OneHop_Topology, explain)
{
    oh_topology_object *this = this_topology(execute_data);
    zend_string *key;
    oh_explanation explanation;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_STR(key)
    ZEND_PARSE_PARAMETERS_END();
    if (!this) {
        return;
    }
    const oh_topology *topology = topology_of(this);
    oh_topology_explain(topology, (const uint8_t *)ZSTR_VAL(key), ZSTR_LEN(key), &explanation);
    array_init_size(return_value, 7);
    add_assoc_str(return_value, "key", zend_string_copy(key));
    add_assoc_stringl(
        return_value, "hashed", (const char *)explanation.hashed.bytes, explanation.hashed.length);
    add_assoc_string(
        return_value, "hash_function", oh_hash_name(oh_topology_hash_function(topology)));
    add_assoc_long(return_value, "hash", explanation.hash);
    add_assoc_string(
        return_value, "distribution", oh_distribution_name(oh_topology_distribution(topology)));
    add_assoc_long(return_value, "point", explanation.point);
    zval *node = node_object(this, explanation.node);
    Z_ADDREF_P(node);
    add_assoc_zval(return_value, "node", node);
    uint32_t from = oh_topology_from(topology, (const uint8_t *)ZSTR_VAL(key), ZSTR_LEN(key));
    if (from != OH_STAYS) {
        zval *old_owner = node_object(this, from);
        Z_ADDREF_P(old_owner);
        add_assoc_zval(return_value, "from", old_owner);
    }
}

static oh_node node_of(const oh_topology_object *this, const zend_string *key)
{
    const oh_topology *topology = topology_of(this);
    const uint8_t *bytes = (const uint8_t *)ZSTR_VAL(key);

    return oh_topology_node(topology, oh_topology_locate(topology, bytes, ZSTR_LEN(key)));
}

ZEND_METHOD(OneHop_Topology, moved)
{
    oh_topology_object *this = this_topology(execute_data);
    zend_object *next;
    HashTable *keys;
    zval *entry;

    ZEND_PARSE_PARAMETERS_START(2, 2)
    Z_PARAM_OBJ_OF_CLASS(next, oh_topology_class)
    Z_PARAM_ARRAY_HT(keys)
    ZEND_PARSE_PARAMETERS_END();
    const oh_topology_object *other = this ? current(next) : NULL;
    if (!other) {
        return;
    }
    array_init(return_value);
    ZEND_HASH_FOREACH_VAL(keys, entry)
    {
        zend_string *key = zval_try_get_string(entry);
        if (!key) {
            return; /* It has thrown. */
        }
        oh_node from = node_of(this, key), to = node_of(other, key);
        if (this->is_watched && other->is_watched ? !oh_text_is_same(from.name, to.name)
                                                  : !oh_node_is_same_address(from, to)) {
            add_next_index_str(return_value, zend_string_copy(key));
        }
        zend_string_release(key);
    }
    ZEND_HASH_FOREACH_END();
}

ZEND_METHOD(OneHop_Topology, nodes)
{
    oh_topology_object *this = this_topology(execute_data);

    ZEND_PARSE_PARAMETERS_NONE();
    if (!this) {
        return;
    }
    array_init_size(return_value, this->nodes_count);
    for (uint32_t i = 0; i < this->nodes_count; i++) {
        if (oh_topology_node(topology_of(this), i).role != OH_GONE) {
            zval *node = node_object(this, i);

            Z_ADDREF_P(node);
            add_next_index_zval(return_value, node);
        }
    }
}

ZEND_METHOD(OneHop_Topology, fingerprint)
{
    oh_topology_object *this = this_topology(execute_data);

    ZEND_PARSE_PARAMETERS_NONE();
    if (this) {
        RETURN_STRING(oh_topology_fingerprint(topology_of(this)));
    }
}

ZEND_METHOD(OneHop_Node, __construct)
{
    ZEND_PARSE_PARAMETERS_NONE();
}
