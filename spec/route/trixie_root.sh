#!/bin/sh
# Makes a small Debian trixie tree in DIR: redis 8.0, valkey 8.1 and PHP 8.4 with phpredis 6.2, beside whatever this
# machine runs. capture.py and probe.php are repeated with it; nothing outside DIR is touched and nothing is installed.
#
#   trixie_root.sh DIR
#   chroot DIR/root redis-server --port 0 ...        DIR/root is a usual tree: chroot, or call programs through run:
#   DIR/run redis-server --version                   the same without chroot, by the tree's own ld.so.
#
# apt resolves and checks signatures as always, but with its own sources, lists, cache and an empty list of installed
# packages, so every library down to libc comes along. The mirror is the one the machine itself uses.
set -eu
directory=${1:?usage: trixie_root.sh DIR}
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
mirror=$(grep -rhoE 'https?://[^ ]*/debian/?( |$)' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null \
         | grep -v snapshot | head -n 1 | tr -d ' ')
mirror=${MIRROR:-${mirror:?no Debian mirror in /etc/apt; set MIRROR}}

mkdir -p "$directory/apt/etc/preferences.d" "$directory/apt/etc/apt.conf.d" "$directory/apt/state/lists/partial" \
         "$directory/apt/cache/archives/partial" "$directory/root/usr"
: > "$directory/apt/status"
printf 'deb [signed-by=%s] %s trixie main\n' "$keyring" "$mirror" > "$directory/apt/etc/sources.list"

private_apt() {
    apt-get -q -o Dir::Etc="$directory/apt/etc" -o Dir::State="$directory/apt/state" \
            -o Dir::State::status="$directory/apt/status" -o Dir::Cache="$directory/apt/cache" \
            -o APT::Install-Recommends=false "$@"
}
private_apt update
private_apt install --download-only --yes redis-server valkey-server php8.4-cli php8.4-redis

# Packages expect a merged /usr; base-files' own links are made by its maintainer script, which does not run here.
for name in bin sbin lib lib64; do
    mkdir -p "$directory/root/usr/$name"
    [ -e "$directory/root/$name" ] || ln -s "usr/$name" "$directory/root/$name"
done
for package in "$directory"/apt/cache/archives/*.deb; do
    dpkg -x "$package" "$directory/root"
done
mkdir -p "$directory/root/tmp" "$directory/root/etc/php/8.4/cli/conf.d"
chmod 1777 "$directory/root/tmp"
printf 'extension=igbinary\nextension=redis\n' > "$directory/root/etc/php/8.4/cli/conf.d/10-redis.ini"

cat > "$directory/run" <<'SCRIPT'
#!/bin/sh
# Runs a program of the tree beside this file by the tree's own loader and libraries.
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
chmod +x "$directory/run"
extensions=$(find "$directory/root/usr/lib/php" -name redis.so -exec dirname {} \;)
printf 'extension_dir=%s\nextension=igbinary\nextension=redis\n' "$extensions" > "$directory/php.ini"
