# The entrance: every target first sets up what it needs; `make help` lists them.
PYTHON := /usr/bin/python3
QUIET := .ci/quiet
JAR := java/testee/target/onehop-testee.jar
JAVA_SOURCES := $(shell find java -name target -prune -o \
	\( -name '*.java' -o -name pom.xml \) -print)
C_SOURCES := $(sort $(wildcard php-ext/src/*/*/*.c))
CONFIGURED := $(shell cat php-ext/.configured 2>/dev/null)
C_CHANGES := $(filter-out $(C_SOURCES),$(CONFIGURED)) $(filter-out $(CONFIGURED),$(C_SOURCES))
.DEFAULT_GOAL := help
.PHONY: help setup setup-php setup-java setup-lint setup-check setup-demo setup-test build \
	php install uninstall dist deb java version release format lint check check-release \
	coverage site test prove hunt test-deb test-trixie test-jdk25 demo bench bench-guard \
	clean
help:  ## Print this list.
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile
demo: setup-demo build  ## Show it: 10,000 hashes through nutcracker and directly, in PHP and Java.
	@$(PYTHON) bench/demo.py
check: setup-check build  ## Run what needs no server, in two minutes: spec, C, Java units, rules.
	@$(PYTHON) .ci/test.py check
format: setup-lint  ## Write C, Java and Python as their formatters want them.
	@.ci/lint format
lint: setup-lint php-ext/Makefile  ## Check that; run clang-tidy, gcc's strict flags and ruff.
	@$(PYTHON) .ci/test.py lint
coverage: setup  ## Print what the tests of C and Java cover: lines and branches.
	@.ci/coverage
site: setup-lint  ## Build the documentation as a site, in build/site.
	@.ci/site
test: setup-test build  ## Run all tests: spec, C, PHP and Java, with a live nutcracker.
	@$(PYTHON) .ci/test.py test
prove: setup build  ## The same, then valgrind, fuzzers, clang-tidy, coverage, benchmarks.
	@$(PYTHON) .ci/test.py test prove
hunt: setup-test build  ## Run a test 30 times beside busy loops: make hunt TEST=the_log
	@.ci/hunt "$(TEST)"
test-trixie:  ## Run the PHP suite on Debian trixie (PHP 8.4, phpredis 6.2), in a tree. As root.
	@.ci/test-trixie
test-deb: setup  ## Build and try the Debian package in bare roots of bookworm and trixie. As root.
	@.ci/test-deb
test-jdk25:  ## Run the Java suite on JDK 25, in the same tree. As root.
	@.ci/test-jdk25
bench: setup build  ## Measure all contestants side by side, with ratios (bench/README.md).
	@$(PYTHON) bench/run.py
bench-guard: setup build  ## Count what a command costs; fail above +3 % of bench/guard/counts.json.
	@$(PYTHON) bench/guard $(if $(WRITE),--write)
build: php java bench/limit/limit  ## Build the PHP extension, the Java modules, the bench's floor.
setup:  ## Install the missing Debian packages of all targets, and name them. As root.
	@.ci/setup
setup-php setup-java setup-lint setup-check setup-demo setup-test:
	@.ci/setup $(@:setup-%=%)

php: php-ext/Makefile  ## Build the PHP extension; install only the packages that this needs.
	@$(QUIET) "build php-ext/modules/onehop.so" $(MAKE) -C php-ext -j2
# ./configure lists the sources in its Makefile, so it runs again when a file was added or removed.
php-ext/Makefile: php-ext/config.m4 php-ext/Makefile.frag \
		$(if $(strip $(C_CHANGES)),setup-php) | setup-php
	@$(QUIET) "configure php-ext" sh -c \
		'cd php-ext && phpize && ./configure && echo "$(C_SOURCES)" >.configured'
install: php  ## Install it for this system's PHP: extension, ini, status page, stubs. As root.
	@php-ext/install.sh install
	@chown -R --reference=Makefile php-ext # What root has built is its owner's, too.
uninstall:  ## Remove what `make install` has installed. As root.
	@php-ext/install.sh uninstall
dist:  ## Write the extension's source as dist/onehop-VERSION.tgz, from the last commit.
	@.ci/dist dist
deb:  ## Build the Debian package of that in dist/, for this system's PHP.
	@.ci/setup deb
	@$(QUIET) "build dist/php-onehop_*.deb" .ci/deb dist
version:  ## Set the version of both languages: make version V=0.2.0-SNAPSHOT.
	@.ci/version $(V)
release:  ## Make a release, all but the upload: make release V=0.2.0 NEXT=0.3.0-SNAPSHOT.
	@.ci/release "$(V)" "$(NEXT)"
check-release: setup  ## Build twice what Maven Central would get, compare, check and use it.
	@.ci/check-release
java: $(JAR)  ## Build the Java modules; install only the packages that this needs.
$(JAR): $(JAVA_SOURCES) | setup-java
	@$(QUIET) "build java (Maven fetches Jedis and its plugins the first time)" \
		mvn -B -ntp -f java/pom.xml package -DskipTests -pl testee -am
bench/limit/limit: bench/limit/limit.c | setup-php
	@$(QUIET) "build bench/limit" cc -std=c11 -O2 -Wall -Wextra -o $@ $<

clean:  ## Remove everything that was built.
	@[ ! -f php-ext/configure ] || (cd php-ext && phpize --clean >/dev/null)
	@find php-ext/src \
		\( -name '*.lo' -o -name '*.o' -o -name '*.dep' -o -name .libs \) -exec rm -rf {} +
	@rm -rf dist php-ext/.configured php-ext/include php-ext/*/build java/*/target
	@rm -rf bench/limit/limit bench/java/target
