# Tests need phpredis and what it may need itself: those are taken from where the system keeps them, ours from here.
PHP_TEST_SHARED_EXTENSIONS = ` \
	for onehop_needed in igbinary msgpack posix sockets redis; do \
		if test -f "$(EXTENSION_DIR)/$$onehop_needed.so"; then \
			printf ' -d extension=%s/%s.so' "$(EXTENSION_DIR)" "$$onehop_needed"; \
		fi; \
	done` -d extension=$(abspath $(phplibdir))/onehop.so
