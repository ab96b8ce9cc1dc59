/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: 387ff7239313ccc1cd4d7bc25f474d168a71ee1b */

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_OneHop_Redis___construct, 0, 0, 1)
	ZEND_ARG_TYPE_INFO(0, pool, IS_STRING, 0)
	ZEND_ARG_TYPE_MASK(0, path, MAY_BE_ARRAY|MAY_BE_STRING|MAY_BE_NULL, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OneHop_Redis_onEachNode, 0, 1, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO(0, method, IS_STRING, 0)
	ZEND_ARG_VARIADIC_TYPE_INFO(0, arguments, IS_MIXED, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OneHop_Redis_onNode, 0, 2, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, node, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, method, IS_STRING, 0)
	ZEND_ARG_VARIADIC_TYPE_INFO(0, arguments, IS_MIXED, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_OneHop_Topology___construct, 0, 0, 1)
	ZEND_ARG_TYPE_INFO(0, pool, IS_STRING, 0)
	ZEND_ARG_TYPE_MASK(0, path, MAY_BE_ARRAY|MAY_BE_STRING|MAY_BE_NULL, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, dead, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_OneHop_Topology_fromText, 0, 2, OneHop\\Topology, 0)
	ZEND_ARG_TYPE_INFO(0, pool, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, text, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, dead, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_OneHop_Topology_locate, 0, 1, OneHop\\\116ode, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OneHop_Topology_explain, 0, 1, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OneHop_Topology_moved, 0, 2, IS_ARRAY, 0)
	ZEND_ARG_OBJ_INFO(0, next, OneHop\\Topology, 0)
	ZEND_ARG_TYPE_INFO(0, keys, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OneHop_Topology_nodes, 0, 0, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OneHop_Topology_fingerprint, 0, 0, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OneHop_Topology_hash, 0, 2, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, algorithm, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OneHop_Topology_slot, 0, 1, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_OneHop_Topology_status arginfo_class_OneHop_Topology_nodes

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OneHop_Topology_check, 0, 1, IS_ARRAY, 1)
	ZEND_ARG_TYPE_INFO(0, text, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_OneHop_Node___construct, 0, 0, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_OneHop_Exception_getKind arginfo_class_OneHop_Topology_fingerprint

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OneHop_Exception_getNode, 0, 0, IS_STRING, 1)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_OneHop_Exception_mayHaveExecuted, 0, 0, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_OneHop_PartialBatch_getReplies arginfo_class_OneHop_Topology_nodes

#define arginfo_class_OneHop_PartialBatch_getFailures arginfo_class_OneHop_Topology_nodes


ZEND_METHOD(OneHop_Redis, __construct);
ZEND_METHOD(OneHop_Redis, onEachNode);
ZEND_METHOD(OneHop_Redis, onNode);
ZEND_METHOD(OneHop_Topology, __construct);
ZEND_METHOD(OneHop_Topology, fromText);
ZEND_METHOD(OneHop_Topology, locate);
ZEND_METHOD(OneHop_Topology, explain);
ZEND_METHOD(OneHop_Topology, moved);
ZEND_METHOD(OneHop_Topology, nodes);
ZEND_METHOD(OneHop_Topology, fingerprint);
ZEND_METHOD(OneHop_Topology, hash);
ZEND_METHOD(OneHop_Topology, slot);
ZEND_METHOD(OneHop_Topology, status);
ZEND_METHOD(OneHop_Topology, check);
ZEND_METHOD(OneHop_Node, __construct);
ZEND_METHOD(OneHop_Exception, getKind);
ZEND_METHOD(OneHop_Exception, getNode);
ZEND_METHOD(OneHop_Exception, mayHaveExecuted);
ZEND_METHOD(OneHop_PartialBatch, getReplies);
ZEND_METHOD(OneHop_PartialBatch, getFailures);


static const zend_function_entry class_OneHop_Redis_methods[] = {
	ZEND_ME(OneHop_Redis, __construct, arginfo_class_OneHop_Redis___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(OneHop_Redis, onEachNode, arginfo_class_OneHop_Redis_onEachNode, ZEND_ACC_PUBLIC)
	ZEND_ME(OneHop_Redis, onNode, arginfo_class_OneHop_Redis_onNode, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_OneHop_Topology_methods[] = {
	ZEND_ME(OneHop_Topology, __construct, arginfo_class_OneHop_Topology___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(OneHop_Topology, fromText, arginfo_class_OneHop_Topology_fromText, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(OneHop_Topology, locate, arginfo_class_OneHop_Topology_locate, ZEND_ACC_PUBLIC)
	ZEND_ME(OneHop_Topology, explain, arginfo_class_OneHop_Topology_explain, ZEND_ACC_PUBLIC)
	ZEND_ME(OneHop_Topology, moved, arginfo_class_OneHop_Topology_moved, ZEND_ACC_PUBLIC)
	ZEND_ME(OneHop_Topology, nodes, arginfo_class_OneHop_Topology_nodes, ZEND_ACC_PUBLIC)
	ZEND_ME(OneHop_Topology, fingerprint, arginfo_class_OneHop_Topology_fingerprint, ZEND_ACC_PUBLIC)
	ZEND_ME(OneHop_Topology, hash, arginfo_class_OneHop_Topology_hash, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(OneHop_Topology, slot, arginfo_class_OneHop_Topology_slot, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(OneHop_Topology, status, arginfo_class_OneHop_Topology_status, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(OneHop_Topology, check, arginfo_class_OneHop_Topology_check, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_FE_END
};


static const zend_function_entry class_OneHop_Node_methods[] = {
	ZEND_ME(OneHop_Node, __construct, arginfo_class_OneHop_Node___construct, ZEND_ACC_PRIVATE)
	ZEND_FE_END
};


static const zend_function_entry class_OneHop_Exception_methods[] = {
	ZEND_ME(OneHop_Exception, getKind, arginfo_class_OneHop_Exception_getKind, ZEND_ACC_PUBLIC)
	ZEND_ME(OneHop_Exception, getNode, arginfo_class_OneHop_Exception_getNode, ZEND_ACC_PUBLIC)
	ZEND_ME(OneHop_Exception, mayHaveExecuted, arginfo_class_OneHop_Exception_mayHaveExecuted, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_OneHop_NodeDown_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_OneHop_DeadlineExceeded_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_OneHop_CrossNode_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_OneHop_PoolExhausted_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_OneHop_ConfigInvalid_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_OneHop_ProtocolViolation_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_OneHop_Unsupported_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_OneHop_PartialBatch_methods[] = {
	ZEND_ME(OneHop_PartialBatch, getReplies, arginfo_class_OneHop_PartialBatch_getReplies, ZEND_ACC_PUBLIC)
	ZEND_ME(OneHop_PartialBatch, getFailures, arginfo_class_OneHop_PartialBatch_getFailures, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};

static zend_class_entry *register_class_OneHop_Redis(zend_class_entry *class_entry_Redis)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OneHop", "Redis", class_OneHop_Redis_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Redis);
	class_entry->ce_flags |= ZEND_ACC_NOT_SERIALIZABLE;


	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "__construct", sizeof("__construct") - 1), 0, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);
	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "__construct", sizeof("__construct") - 1), 1, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);
	return class_entry;
}

static zend_class_entry *register_class_OneHop_Topology(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OneHop", "Topology", class_OneHop_Topology_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;


	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "__construct", sizeof("__construct") - 1), 0, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);
	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "__construct", sizeof("__construct") - 1), 1, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);
	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "fromtext", sizeof("fromtext") - 1), 1, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);
	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "check", sizeof("check") - 1), 0, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);
	return class_entry;
}

static zend_class_entry *register_class_OneHop_Node(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OneHop", "Node", class_OneHop_Node_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_index_default_value;
	ZVAL_UNDEF(&property_index_default_value);
	zend_string *property_index_name = zend_string_init("index", sizeof("index") - 1, 1);
	zend_declare_typed_property(class_entry, property_index_name, &property_index_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_index_name);

	zval property_name_default_value;
	ZVAL_UNDEF(&property_name_default_value);
	zend_string *property_name_name = zend_string_init("name", sizeof("name") - 1, 1);
	zend_declare_typed_property(class_entry, property_name_name, &property_name_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_name_name);

	zval property_host_default_value;
	ZVAL_UNDEF(&property_host_default_value);
	zend_string *property_host_name = zend_string_init("host", sizeof("host") - 1, 1);
	zend_declare_typed_property(class_entry, property_host_name, &property_host_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_host_name);

	zval property_port_default_value;
	ZVAL_UNDEF(&property_port_default_value);
	zend_string *property_port_name = zend_string_init("port", sizeof("port") - 1, 1);
	zend_declare_typed_property(class_entry, property_port_name, &property_port_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG|MAY_BE_NULL));
	zend_string_release(property_port_name);

	zval property_path_default_value;
	ZVAL_UNDEF(&property_path_default_value);
	zend_string *property_path_name = zend_string_init("path", sizeof("path") - 1, 1);
	zend_declare_typed_property(class_entry, property_path_name, &property_path_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_path_name);

	zval property_weight_default_value;
	ZVAL_UNDEF(&property_weight_default_value);
	zend_string *property_weight_name = zend_string_init("weight", sizeof("weight") - 1, 1);
	zend_declare_typed_property(class_entry, property_weight_name, &property_weight_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_weight_name);

	zval property_isEjected_default_value;
	ZVAL_UNDEF(&property_isEjected_default_value);
	zend_string *property_isEjected_name = zend_string_init("isEjected", sizeof("isEjected") - 1, 1);
	zend_declare_typed_property(class_entry, property_isEjected_name, &property_isEjected_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_isEjected_name);

	zval property_role_default_value;
	ZVAL_UNDEF(&property_role_default_value);
	zend_string *property_role_name = zend_string_init("role", sizeof("role") - 1, 1);
	zend_declare_typed_property(class_entry, property_role_name, &property_role_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_role_name);

	return class_entry;
}

static zend_class_entry *register_class_OneHop_Exception(zend_class_entry *class_entry_RedisException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OneHop", "Exception", class_OneHop_Exception_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RedisException);

	zval property_kind_default_value;
	ZVAL_EMPTY_STRING(&property_kind_default_value);
	zend_string *property_kind_name = zend_string_init("kind", sizeof("kind") - 1, 1);
	zend_declare_typed_property(class_entry, property_kind_name, &property_kind_default_value, ZEND_ACC_PRIVATE, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_kind_name);

	zval property_node_default_value;
	ZVAL_NULL(&property_node_default_value);
	zend_string *property_node_name = zend_string_init("node", sizeof("node") - 1, 1);
	zend_declare_typed_property(class_entry, property_node_name, &property_node_default_value, ZEND_ACC_PRIVATE, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_node_name);

	zval property_mayHaveExecuted_default_value;
	ZVAL_FALSE(&property_mayHaveExecuted_default_value);
	zend_string *property_mayHaveExecuted_name = zend_string_init("mayHaveExecuted", sizeof("mayHaveExecuted") - 1, 1);
	zend_declare_typed_property(class_entry, property_mayHaveExecuted_name, &property_mayHaveExecuted_default_value, ZEND_ACC_PRIVATE, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_mayHaveExecuted_name);

	return class_entry;
}

static zend_class_entry *register_class_OneHop_NodeDown(zend_class_entry *class_entry_OneHop_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OneHop", "NodeDown", class_OneHop_NodeDown_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_OneHop_Exception);

	return class_entry;
}

static zend_class_entry *register_class_OneHop_DeadlineExceeded(zend_class_entry *class_entry_OneHop_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OneHop", "DeadlineExceeded", class_OneHop_DeadlineExceeded_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_OneHop_Exception);

	return class_entry;
}

static zend_class_entry *register_class_OneHop_CrossNode(zend_class_entry *class_entry_OneHop_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OneHop", "CrossNode", class_OneHop_CrossNode_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_OneHop_Exception);

	return class_entry;
}

static zend_class_entry *register_class_OneHop_PoolExhausted(zend_class_entry *class_entry_OneHop_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OneHop", "PoolExhausted", class_OneHop_PoolExhausted_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_OneHop_Exception);

	return class_entry;
}

static zend_class_entry *register_class_OneHop_ConfigInvalid(zend_class_entry *class_entry_OneHop_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OneHop", "ConfigInvalid", class_OneHop_ConfigInvalid_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_OneHop_Exception);

	return class_entry;
}

static zend_class_entry *register_class_OneHop_ProtocolViolation(zend_class_entry *class_entry_OneHop_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OneHop", "ProtocolViolation", class_OneHop_ProtocolViolation_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_OneHop_Exception);

	return class_entry;
}

static zend_class_entry *register_class_OneHop_Unsupported(zend_class_entry *class_entry_OneHop_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OneHop", "Unsupported", class_OneHop_Unsupported_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_OneHop_Exception);

	return class_entry;
}

static zend_class_entry *register_class_OneHop_PartialBatch(zend_class_entry *class_entry_OneHop_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "OneHop", "PartialBatch", class_OneHop_PartialBatch_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_OneHop_Exception);

	zval property_replies_default_value;
	ZVAL_EMPTY_ARRAY(&property_replies_default_value);
	zend_string *property_replies_name = zend_string_init("replies", sizeof("replies") - 1, 1);
	zend_declare_typed_property(class_entry, property_replies_name, &property_replies_default_value, ZEND_ACC_PRIVATE, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ARRAY));
	zend_string_release(property_replies_name);

	zval property_failures_default_value;
	ZVAL_EMPTY_ARRAY(&property_failures_default_value);
	zend_string *property_failures_name = zend_string_init("failures", sizeof("failures") - 1, 1);
	zend_declare_typed_property(class_entry, property_failures_name, &property_failures_default_value, ZEND_ACC_PRIVATE, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ARRAY));
	zend_string_release(property_failures_name);

	return class_entry;
}
