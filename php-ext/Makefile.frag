# Tests need phpredis and its dependencies. Those come from the system, onehop.so from this tree.
PHP_TEST_SHARED_EXTENSIONS = ` \
	for onehop_needed in igbinary msgpack posix sockets redis; do \
		if test -f "$(EXTENSION_DIR)/$$onehop_needed.so"; then \
			printf ' -d extension=%s/%s.so' "$(EXTENSION_DIR)" "$$onehop_needed"; \
		fi; \
	done` -d extension=$(abspath $(phplibdir))/onehop.so
