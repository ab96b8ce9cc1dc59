#!/bin/sh
# Makes a small Debian trixie tree in DIR: redis 8.0, valkey 8.1 and PHP 8.4 with phpredis 6.2,
# beside this machine's own versions. capture.py and probe.php also run with it. Nothing outside DIR
# is changed and nothing is installed.
#
#   trixie_root.sh DIR [PACKAGE ...]      includes these packages and their dependencies
#   DIR/run redis-server --version        runs a program of the tree with its own ld.so, no chroot
#   DIR/inside COMMAND [ARGUMENT ...]     runs a command with the tree as its root directory and
#                                         this machine's /proc, /sys and /dev; needs root.
#                                         .ci/test-trixie runs the PHP suite this way.
#
# apt resolves and checks signatures as always, but with its own sources, lists, cache and an empty
# list of installed packages. So every library down to libc is included. It uses this machine's
# mirror. Packages are unpacked, not configured; the end of this script does the needed parts of
# their scripts.
set -eu
directory=${1:?usage: trixie_root.sh DIR [PACKAGE ...]}
shift
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
sources="/etc/apt/sources.list /etc/apt/sources.list.d"
mirror=$(grep -rhoE 'https?://[^ ]*/debian/?( |$)' $sources 2>/dev/null \
         | grep -v snapshot | head -n 1 | tr -d ' ')
mirror=${MIRROR:-${mirror:?no Debian mirror in /etc/apt; set MIRROR}}

mkdir -p "$directory/apt/etc/preferences.d" "$directory/apt/etc/apt.conf.d" \
         "$directory/apt/state/lists/partial" "$directory/apt/cache/archives/partial" \
         "$directory/root/usr"
: > "$directory/apt/status"
printf 'deb [signed-by=%s] %s trixie main\n' "$keyring" "$mirror" \
    > "$directory/apt/etc/sources.list"

private_apt() {
    apt-get -q -o Dir::Etc="$directory/apt/etc" -o Dir::State="$directory/apt/state" \
            -o Dir::State::status="$directory/apt/status" -o Dir::Cache="$directory/apt/cache" \
            -o APT::Install-Recommends=false "$@"
}
private_apt update
private_apt install --download-only --yes redis-server valkey-server php8.4-cli php8.4-redis "$@"

# Packages expect a merged /usr. The script of base-files makes these links, but is not run here.
for name in bin sbin lib lib64; do
    mkdir -p "$directory/root/usr/$name"
    [ -e "$directory/root/$name" ] || ln -s "usr/$name" "$directory/root/$name"
done
mkdir -p "$directory/root/var/lib/dpkg/info" "$directory/root/var/lib/dpkg/updates"
status=$directory/root/var/lib/dpkg/status  # phpize asks dpkg.
: > "$status"
for package in "$directory"/apt/cache/archives/*.deb; do
    dpkg -x "$package" "$directory/root"
    { dpkg-deb -f "$package" Package Version Architecture Maintainer Description
      printf 'Status: install ok installed\n\n'; } >> "$status"
done
mkdir -p "$directory/root/tmp" "$directory/root/dev" "$directory/root/proc" "$directory/root/sys"
chmod 1777 "$directory/root/tmp"

# The needed parts of the packages' scripts: names without a version, PHP's modules, users. Host
# names come from this machine.
alternative() {
    [ ! -e "$directory/root/usr/bin/$2" ] || ln -sf "$2" "$directory/root/usr/bin/$1"
}
alternative awk mawk; alternative cc gcc; alternative php php8.4; alternative phpize phpize8.4
alternative php-config php-config8.4
for sapi in cli fpm; do
    modules="$directory/root/etc/php/8.4/$sapi/conf.d"
    mkdir -p "$modules"
    for module in "$directory"/root/usr/share/php8.4-*/*/*.ini \
                  "$directory"/root/etc/php/8.4/mods-available/*.ini; do
        priority=$(sed -n 's/^; *priority=//p' "$module")
        cp "$module" "$modules/${priority:-20}-$(basename "$module")"
    done
done
cp /etc/hosts /etc/resolv.conf "$directory/root/etc/"
for table in passwd group; do
    [ ! -e "$directory/root/usr/share/base-passwd/$table.master" ] \
        || cp "$directory/root/usr/share/base-passwd/$table.master" "$directory/root/etc/$table"
done

cat > "$directory/run" <<'SCRIPT'
#!/bin/sh
# Runs a program of the tree beside this file with the tree's own loader and libraries.
here=$(cd "$(dirname "$0")" && pwd)/root
program=$1
shift
case $program in
    php|php8.4) set -- -c "$here/../php.ini" "$@"; program=php8.4 ;;
esac
exec "$here/usr/lib64/ld-linux-x86-64.so.2" \
     --library-path "$here/usr/lib/x86_64-linux-gnu:$here/usr/lib/x86_64-linux-gnu/private" \
     "$here/usr/bin/$program" "$@"
SCRIPT
cat > "$directory/inside" <<'SCRIPT'
#!/bin/sh
# Runs a command in the tree beside this file. The mounts have their own namespace and end with it.
here=$(cd "$(dirname "$0")" && pwd)/root
mounts="mount --bind $here $here;"  # The root must be a mount for unshare --mount in the tree.
for name in proc sys dev; do
    mounts="$mounts mount --rbind /$name $here/$name;"
done
exec unshare --mount --propagation private sh -euc "$mounts"' here=$1; shift
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C \
        chroot "$here" "$@"' inside "$here" "$@"
SCRIPT
chmod +x "$directory/run" "$directory/inside"
extensions=$(find "$directory/root/usr/lib/php" -name redis.so -exec dirname {} \;)
printf 'extension_dir=%s\nextension=igbinary\nextension=redis\n' "$extensions" \
    > "$directory/php.ini"
