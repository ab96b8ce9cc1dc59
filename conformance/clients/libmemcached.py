"""The servers of libmemcached with its consistent distribution and no weights."""

import ctypes
import subprocess

# libmemcached/memcached.h
DISTRIBUTION, HASH, CONSISTENT = 9, 2, 1
HASHES = {
    "one_at_a_time": 0,
    "md5": 1,
    "crc32": 2,
    "fnv1_64": 3,
    "fnv1a_64": 4,
    "fnv1_32": 5,
    "fnv1a_32": 6,
    "murmur": 8,
    "jenkins": 9,
}


def library(root):
    """Debian's library, unpacked below `root`."""
    directory = root / "usr/lib/x86_64-linux-gnu"
    if not directory.exists():
        root.mkdir(parents=True, exist_ok=True)
        words = ["apt-get", "download", "libmemcached11", "libhashkit2"]
        subprocess.run(words, cwd=root, check=True, capture_output=True)
        for package in root.glob("*.deb"):
            subprocess.run(["dpkg", "-x", package, root], check=True)
    ctypes.CDLL(str(directory / "libhashkit.so.2"), ctypes.RTLD_GLOBAL)
    it = ctypes.CDLL(str(directory / "libmemcached.so.11"))
    it.memcached_create.restype = ctypes.c_void_p
    return it


def ask(root, text):
    it, (count, *lines) = library(root), text.splitlines()
    keys = [bytes.fromhex(line) for line in lines[: int(count)]]
    answers = []
    for line in lines[int(count) :]:
        name, _, *servers = line.split("\t")
        client = ctypes.c_void_p(it.memcached_create(None))
        it.memcached_behavior_set(client, DISTRIBUTION, ctypes.c_uint64(CONSISTENT))
        it.memcached_behavior_set(client, HASH, ctypes.c_uint64(HASHES.get(name, 0)))
        for server in servers:
            host, _, port = server.split(" ")[0].partition(":")
            it.memcached_server_add(client, host.encode(), int(port or 6379))
        places = (
            it.memcached_generate_hash(client, key, ctypes.c_size_t(len(key))) for key in keys
        )
        answers.append(" ".join(map(str, places)))
    return "\n".join(answers)
