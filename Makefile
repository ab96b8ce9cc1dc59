# The entrance: every target first sets up what it needs; `make help` lists them.
PYTHON := /usr/bin/python3
QUIET := .ci/quiet
JAR := java/testee/target/onehop-testee.jar
JAVA_SOURCES := $(shell find java -name target -prune -o \
	\( -name '*.java' -o -name pom.xml \) -print)
C_SOURCES := $(sort $(wildcard php-ext/core/*/*.c php-ext/engine/*/*.c php-ext/php/*/*.c))
CONFIGURED := $(shell cat php-ext/.configured 2>/dev/null)
C_CHANGES := $(filter-out $(C_SOURCES),$(CONFIGURED)) $(filter-out $(CONFIGURED),$(C_SOURCES))
.DEFAULT_GOAL := help
.PHONY: help setup build php java format lint check coverage \
	test test-trixie test-jdk25 demo bench clean
help:  ## Print this list.
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile
demo: build  ## Demonstrate: 10,000 hashes through nutcracker and directly, in PHP and in Java.
	@$(PYTHON) bench/demo.py
check: build  ## Run all checks without servers, in two minutes: spec, C core, Java units, rules.
	@$(PYTHON) .ci/test.py check
format: | setup  ## Write C, Java and Python as clang-format, google-java-format and ruff want them.
	@.ci/lint format
lint: php-ext/Makefile  ## Check that, and what clang-tidy, gcc's strictest flags and ruff find.
	@$(PYTHON) .ci/test.py lint
coverage: | setup  ## Print what the tests of C core and engine cover: lines and branches.
	@.ci/coverage
test: build  ## Run all tests: specification, C, PHP, Java, all of them with a live nutcracker.
	@$(PYTHON) .ci/test.py
test-trixie:  ## Run the PHP suite on Debian trixie (PHP 8.4, phpredis 6.2), in a tree. As root.
	@.ci/test-trixie
test-jdk25:  ## Run the Java suite on JDK 25, in the same tree. As root.
	@.ci/test-jdk25
bench: build  ## Measure all contestants side by side, with ratios (bench/README.md).
	@$(PYTHON) bench/run.py
build: php java bench/limit/limit  ## Build the PHP extension, the Java modules, the bench's floor.
setup:  ## Install the missing Debian packages and name them. As root.
	@.ci/setup

php: php-ext/Makefile
	@$(QUIET) "build php-ext/modules/onehop.so" $(MAKE) -C php-ext -j2
# ./configure lists the sources in its Makefile, so it runs again when a file was added or removed.
php-ext/Makefile: php-ext/config.m4 php-ext/Makefile.frag $(if $(strip $(C_CHANGES)),setup) | setup
	@$(QUIET) "configure php-ext" sh -c \
		'cd php-ext && phpize && ./configure && echo "$(C_SOURCES)" >.configured'
java: $(JAR)
$(JAR): $(JAVA_SOURCES) | setup
	@$(QUIET) "build java (Maven fetches Jedis and its plugins the first time)" \
		mvn -B -ntp -f java/pom.xml package -DskipTests
bench/limit/limit: bench/limit/limit.c | setup
	@$(QUIET) "build bench/limit" cc -std=c11 -O2 -Wall -Wextra -o $@ $<

clean:  ## Remove everything that was built.
	@[ ! -f php-ext/configure ] || (cd php-ext && phpize --clean >/dev/null)
	@find php-ext/core php-ext/engine php-ext/php \
		\( -name '*.lo' -o -name '*.o' -o -name '*.dep' -o -name .libs \) -exec rm -rf {} +
	@rm -rf php-ext/.configured php-ext/include php-ext/*/build java/*/target
	@rm -rf bench/limit/limit bench/*/c/build bench/*/java/target
