#!/bin/sh
# install.sh install|uninstall
# Puts what `make` has built where this system's PHP finds it, enables it for every SAPI, and says
# what is where; or removes all of that again. `make install` and `make uninstall` call it.
#
#   PHP_CONFIG  the php-config of the PHP to install for; default: php-config
#   DESTDIR     a directory to install into instead of /, for a package; nothing is enabled then
set -eu
cd "$(dirname "$0")"
php_config=${PHP_CONFIG:-php-config}
root=${DESTDIR:-}
extension=$root$("$php_config" --extension-dir)/onehop.so
share=$root$("$php_config" --prefix)/share/onehop
version=$("$php_config" --version | cut -d. -f1,2)

# Debian keeps one ini file for all SAPIs, and phpenmod links it into the directory of each.
# Elsewhere all SAPIs read the same directory. In both a file that sorts after phpredis' is needed.
available=/etc/php/$version/mods-available
if [ -d "$available" ] && command -v phpenmod >/dev/null; then
    has_phpenmod=yes ini=$root$available/onehop.ini
else
    has_phpenmod='' ini=$("$php_config" --ini-dir)
    [ -z "$ini" ] || ini=$root$ini/zz-onehop.ini
fi

put() {
    install -D -m 644 "$1" "$2"
    echo "  $2"
}

install_all() {
    if [ ! -f modules/onehop.so ]; then
        echo "There is no $PWD/modules/onehop.so. Build it: phpize && ./configure && make" >&2
        exit 1
    fi
    echo "Installed for PHP $version:"
    put modules/onehop.so "$extension"
    [ -z "$ini" ] || put onehop.ini "$ini"
    put onehop-status.php "$share/onehop-status.php"
    for format in html text prometheus; do
        put "onehop-status/$format.php" "$share/onehop-status/$format.php"
    done
    put opentelemetry/onehop-opentelemetry.php "$share/opentelemetry/onehop-opentelemetry.php"
    put stubs/composer.json "$share/stubs/composer.json"
    put stubs/onehop.stub.php "$share/stubs/onehop.stub.php"
    [ -z "$root" ] || exit 0

    # -r: also for a SAPI that is installed later.
    [ -z "$has_phpenmod" ] || phpenmod -r -v "$version" onehop
    if [ -z "$ini" ]; then
        echo "This PHP reads no directory of ini files. Add to its php.ini, after phpredis':"
        echo "  extension=onehop"
    elif ! "$("$php_config" --php-binary)" -m 2>&1 | grep -qx onehop; then
        echo "PHP does not load it yet. This says why: $("$php_config" --php-binary) -m" >&2
        exit 1
    fi
    echo "Next:"
    echo "  restart running PHPs, for example: systemctl restart php$version-fpm"
    echo "  write the file of your nodes: docs/configuration.md"
    echo "  watch them in a browser: serve $share/onehop-status.php (docs/operations.md)"
    echo "  for an editor: composer config repositories.onehop path $share/stubs"
    echo "                 composer require --dev onehop/stubs:@dev"
}

uninstall_all() {
    if [ -n "$has_phpenmod" ] && [ -z "$root" ] && [ -f "$ini" ]; then
        phpdismod -v "$version" onehop
        # phpdismod remembers who disabled it, and would keep a later package disabled.
        rm -f "/var/lib/php/modules/$version"/*/*_by_*/onehop
        rm -f "/var/lib/php/modules/$version/registry/onehop"
    fi
    rm -f "$extension"
    [ -z "$ini" ] || rm -f "$ini"
    rm -rf "$share"
    echo "Removed OneHop for PHP $version. Restart running PHPs."
}

case ${1:-} in
install) install_all ;;
uninstall) uninstall_all ;;
*)
    echo "usage: install.sh install|uninstall" >&2
    exit 2
    ;;
esac
