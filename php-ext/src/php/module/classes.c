/*
 * Declares OneHop's classes, as stubs/onehop.stub.php describes them, and builds OneHop\Redis from
 * phpredis' \Redis.
 *
 * OneHop\Redis inherits every method of the loaded phpredis. Then each inherited entry gets one of
 * our handlers (handlers.c says which). The entry keeps everything else: name, signature, flags. So
 * `instanceof \Redis`, reflection, named arguments and by-reference parameters work as in phpredis,
 * and no method can be forgotten: an entry that the table does not know gets the handler that
 * refuses.
 */
#include "php/base/zend.h"

#include "php/exception/exception.h"
#include "php/module/module.h"
#include "php/phpredis/phpredis.h"
#include "php/userland/userland.h"

#include "zend_attributes.h"

#include "onehop_arginfo.h"

static void register_exceptions(void)
{
    oh_exception_class = register_class_OneHop_Exception(oh_phpredis_exception_class);
    oh_exception_classes[OH_ERROR_NODE_DOWN] = register_class_OneHop_NodeDown(oh_exception_class);
    oh_exception_classes[OH_ERROR_DEADLINE_EXCEEDED] =
        register_class_OneHop_DeadlineExceeded(oh_exception_class);
    oh_exception_classes[OH_ERROR_CROSS_NODE] = register_class_OneHop_CrossNode(oh_exception_class);
    oh_exception_classes[OH_ERROR_POOL_EXHAUSTED] =
        register_class_OneHop_PoolExhausted(oh_exception_class);
    oh_exception_classes[OH_ERROR_CONFIG_INVALID] =
        register_class_OneHop_ConfigInvalid(oh_exception_class);
    oh_exception_classes[OH_ERROR_PROTOCOL_VIOLATION] =
        register_class_OneHop_ProtocolViolation(oh_exception_class);
    oh_exception_classes[OH_ERROR_UNSUPPORTED] =
        register_class_OneHop_Unsupported(oh_exception_class);
    oh_exception_classes[OH_ERROR_PARTIAL_BATCH] =
        register_class_OneHop_PartialBatch(oh_exception_class);
}

/* The constructor, onEachNode() and onNode(): declared by OneHop\Redis itself. */
static bool is_own(const zend_function *method)
{
    return method->common.scope == oh_client_class;
}

/* Zend copies inherited entries for internal classes, so they may be changed. */
static zend_result take_over_methods(void)
{
    zend_function *inherited;

    ZEND_HASH_MAP_FOREACH_PTR(&oh_client_class->function_table, inherited)
    {
        if (is_own(inherited)) {
            continue;
        }
        zend_function *original = zend_hash_find_ptr_lc(
            &oh_phpredis_class->function_table, inherited->common.function_name);
        if (inherited == original || oh_handlers_take_over(inherited, original) == FAILURE) {
            return FAILURE;
        }
        inherited->common.scope = oh_client_class;
        inherited->internal_function.module = EG(current_module);
        /*
         * Observers of calls keep data here, so our method must not share it with phpredis' method.
         */
        ZEND_MAP_PTR_NEW(inherited->internal_function.run_time_cache);
    }
    ZEND_HASH_FOREACH_END();

    /* Zend must not call phpredis' __destruct: a client releases everything when it is freed. */
    oh_client_class->destructor = NULL;
    return SUCCESS;
}

zend_result oh_classes_register(void)
{
    if (!oh_phpredis_find()) {
        zend_error(E_CORE_WARNING, "OneHop needs phpredis: load the extension redis before onehop");
        return FAILURE;
    }
    register_exceptions();
    oh_topology_class = register_class_OneHop_Topology();
    oh_topology_class->create_object = oh_topology_object_create;
    oh_node_class = register_class_OneHop_Node();
    oh_client_class = register_class_OneHop_Redis(oh_phpredis_class);
    oh_client_class->create_object = oh_client_create;
    if (take_over_methods() == FAILURE) {
        oh_classes_release();
        zend_error(E_CORE_WARNING, "OneHop could not take over the methods of phpredis %s",
            zend_get_module_version("redis"));
        return FAILURE;
    }
    return SUCCESS;
}

void oh_classes_release(void)
{
    zend_function *method;

    if (!oh_client_class) {
        return;
    }
    ZEND_HASH_MAP_FOREACH_PTR(&oh_client_class->function_table, method)
    {
        if (method->internal_function.reserved[oh_methods_slot]) {
            /*
             * Zend frees a signature with the class that is its scope. This signature belongs to
             * phpredis.
             */
            oh_handlers_give_back(method);
            method->common.scope = oh_phpredis_class;
        }
    }
    ZEND_HASH_FOREACH_END();
}
