dnl OneHop: a client-side sharding extension on top of phpredis.
dnl
dnl Plain `phpize && ./configure && make` builds it; there is nothing to choose. src/core is pure
dnl C11, src/engine speaks to nodes through POSIX, src/php is the edge to Zend. All become one
dnl onehop.so, with libyaml, which reads the configuration, c-ares, which looks up host names, and
dnl OpenSSL, which encrypts connections.

PHP_ARG_ENABLE([onehop],
  [whether to enable OneHop],
  [AS_HELP_STRING([--disable-onehop], [Disable OneHop])],
  [yes])

if test "$PHP_ONEHOP" != "no"; then
  AC_PATH_PROG([PKG_CONFIG], [pkg-config], [no])
  if test "$PKG_CONFIG" = "no" || ! "$PKG_CONFIG" --exists yaml-0.1; then
    onehop_packages="Debian: libyaml-dev pkg-config, Alpine: yaml-dev pkgconf"
    AC_MSG_ERROR([OneHop needs libyaml and pkg-config ($onehop_packages)])
  fi
  if ! "$PKG_CONFIG" --atleast-version=1.16 libcares; then
    AC_MSG_ERROR([OneHop needs c-ares 1.16 or later (Debian: libc-ares-dev, Alpine: c-ares-dev)])
  fi
  if ! "$PKG_CONFIG" --atleast-version=1.1.1 openssl; then
    AC_MSG_ERROR([OneHop needs OpenSSL 1.1.1 or later (Debian: libssl-dev, Alpine: openssl-dev)])
  fi
  ONEHOP_YAML_VERSION=`"$PKG_CONFIG" --modversion yaml-0.1`
  AC_MSG_CHECKING([for libyaml])
  AC_MSG_RESULT([$ONEHOP_YAML_VERSION])
  AC_MSG_CHECKING([for c-ares])
  AC_MSG_RESULT([`"$PKG_CONFIG" --modversion libcares`])
  AC_MSG_CHECKING([for OpenSSL])
  AC_MSG_RESULT([`"$PKG_CONFIG" --modversion openssl`])
  PHP_EVAL_INCLINE([`"$PKG_CONFIG" --cflags yaml-0.1 libcares openssl`])
  PHP_EVAL_LIBLINE([`"$PKG_CONFIG" --libs yaml-0.1 libcares openssl`], [ONEHOP_SHARED_LIBADD])
  PHP_SUBST([ONEHOP_SHARED_LIBADD])

  onehop_sources=
  for onehop_file in "$ext_srcdir"/src/*/*/*.c; do
    onehop_sources="$onehop_sources ${onehop_file#$ext_srcdir/}"
  done

  ONEHOP_CFLAGS="-std=gnu11 -Wall -Wextra -Wno-unused-parameter -fvisibility=hidden"
  dnl -MP: a moved header must not break the next make.
  ONEHOP_CFLAGS="$ONEHOP_CFLAGS -D_GNU_SOURCE -MP"
  if test "$PHP_THREAD_SAFETY" = "yes"; then
    ONEHOP_CFLAGS="$ONEHOP_CFLAGS -DOH_IS_THREADED"
  fi
  ONEHOP_CFLAGS="$ONEHOP_CFLAGS -DZEND_ENABLE_STATIC_TSRMLS_CACHE=1"
  if test "$ext_shared" = "yes"; then
    ONEHOP_CFLAGS="$ONEHOP_CFLAGS -DONEHOP_IS_SHARED"
  fi

  PHP_NEW_EXTENSION([onehop], [$onehop_sources], [$ext_shared],, [$ONEHOP_CFLAGS])
  PHP_ADD_INCLUDE([$ext_srcdir/src])
  PHP_ADD_EXTENSION_DEP([onehop], [redis])
  PHP_ADD_MAKEFILE_FRAGMENT
  for onehop_directory in "$ext_srcdir"/src/*/*/; do
    PHP_ADD_BUILD_DIR([$ext_builddir/${onehop_directory#$ext_srcdir/}], [1])
  done
fi
