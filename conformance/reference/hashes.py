"""Chapter hash: from bytes to u32."""

import hashlib
import struct
import zlib

from .limits import U32


def signed(byte):
    """A byte widened to 32 bits as a signed C char."""
    return byte if byte < 128 else byte + 0xFFFFFF00


def one_at_a_time(key):
    h = 0
    for byte in key:
        h = (h + signed(byte)) & U32
        h = (h + (h << 10)) & U32
        h ^= h >> 6
    h = (h + (h << 3)) & U32
    h ^= h >> 11
    return (h + (h << 15)) & U32


def md5(key):
    return int.from_bytes(hashlib.md5(key).digest()[:4], "little")


def crc16_table_entry(index):
    c = index << 8
    for _ in range(8):
        c = (c << 1) ^ (0x1021 if c & 0x8000 else 0)
    return c & 0xFFFF


CRC16_TABLE = [crc16_table_entry(index) for index in range(256)]


def crc16(key):
    c = 0
    for byte in key:
        c = ((c << 8) & U32) ^ CRC16_TABLE[((c >> 8) ^ byte) & 0xFF]
    return c


def crc32(key):
    return (zlib.crc32(key) >> 16) & 0x7FFF


def crc32a(key):
    return zlib.crc32(key)


def fnv1(key, h, prime):
    for byte in key:
        h = (h * prime & U32) ^ signed(byte)
    return h


def fnv1a(key, h, prime):
    for byte in key:
        h = (h ^ signed(byte)) * prime & U32
    return h


def fnv1_64(key):
    return fnv1(key, 0x84222325, 0x1B3)


def fnv1a_64(key):
    return fnv1a(key, 0x84222325, 0x1B3)


def fnv1_32(key):
    return fnv1(key, 0x811C9DC5, 0x01000193)


def fnv1a_32(key):
    return fnv1a(key, 0x811C9DC5, 0x01000193)


def hsieh(key):
    h, whole = 0, len(key) & ~3
    if not key:
        return 0
    for low, high in struct.iter_unpack("<HH", key[:whole]):
        h = (h + low) & U32
        h = ((h << 16) ^ (high << 11) ^ h) & U32
        h = (h + (h >> 11)) & U32
    tail = key[whole:]
    if len(tail) == 3:
        h = (h + tail[0] + (tail[1] << 8)) & U32
        h = (h ^ (h << 16) ^ (signed(tail[2]) << 18)) & U32
        h = (h + (h >> 11)) & U32
    elif len(tail) == 2:
        h = (h + tail[0] + (tail[1] << 8)) & U32
        h = (h ^ (h << 11)) & U32
        h = (h + (h >> 17)) & U32
    elif len(tail) == 1:
        h = (h + tail[0]) & U32
        h = (h ^ (h << 10)) & U32
        h = (h + (h >> 1)) & U32
    h = (h ^ (h << 3)) & U32
    h = (h + (h >> 5)) & U32
    h = (h ^ (h << 4)) & U32
    h = (h + (h >> 17)) & U32
    h = (h ^ (h << 25)) & U32
    return (h + (h >> 6)) & U32


def murmur(key):
    m, whole = 0x5BD1E995, len(key) & ~3
    h = (0xDEADBEEF * len(key) ^ len(key)) & U32
    for (k,) in struct.iter_unpack("<I", key[:whole]):
        k = k * m & U32
        k = (k ^ (k >> 24)) * m & U32
        h = (h * m & U32) ^ k
    if len(key) > whole:
        h = (h ^ int.from_bytes(key[whole:], "little")) * m & U32
    h = (h ^ (h >> 13)) * m & U32
    return h ^ (h >> 15)


def rotated(x, bits):
    return (x << bits | x >> (32 - bits)) & U32


def jenkins(key):
    a = b = c = (0xDEADBEEF + len(key) + 13) & U32
    if not key:
        return c
    whole = (len(key) - 1) // 12 * 12  # The last block of 1 to 12 bytes is mixed differently.
    for x, y, z in struct.iter_unpack("<III", key[:whole]):
        a, b, c = (a + x) & U32, (b + y) & U32, (c + z) & U32
        a = (a - c & U32) ^ rotated(c, 4)
        c = (c + b) & U32
        b = (b - a & U32) ^ rotated(a, 6)
        a = (a + c) & U32
        c = (c - b & U32) ^ rotated(b, 8)
        b = (b + a) & U32
        a = (a - c & U32) ^ rotated(c, 16)
        c = (c + b) & U32
        b = (b - a & U32) ^ rotated(a, 19)
        a = (a + c) & U32
        c = (c - b & U32) ^ rotated(b, 4)
        b = (b + a) & U32
    x, y, z = struct.unpack("<III", key[whole:].ljust(12, b"\0"))
    a, b, c = (a + x) & U32, (b + y) & U32, (c + z) & U32
    c = (c ^ b) - rotated(b, 14) & U32
    a = (a ^ c) - rotated(c, 11) & U32
    b = (b ^ a) - rotated(a, 25) & U32
    c = (c ^ b) - rotated(b, 16) & U32
    a = (a ^ c) - rotated(c, 4) & U32
    b = (b ^ a) - rotated(a, 14) & U32
    return (c ^ b) - rotated(b, 24) & U32


def murmur64a(key):
    """Of 64 bits, signed as in Java: section 2."""
    m, u64, whole = 0xC6A4A7935BD1E995, (1 << 64) - 1, len(key) & ~7
    h = 0x1234ABCD ^ (len(key) * m & u64)
    for (k,) in struct.iter_unpack("<Q", key[:whole]):
        k = k * m & u64
        k = (k ^ (k >> 47)) * m & u64
        h = (h ^ k) * m & u64
    if len(key) > whole:
        h = (h ^ int.from_bytes(key[whole:], "little")) * m & u64
    h = (h ^ (h >> 47)) * m & u64
    h ^= h >> 47
    return h - (1 << 64) if h >> 63 else h


def crc32b(key):
    """PHP's digests are big-endian, and RedisArray reads them as little-endian numbers."""
    return swapped(zlib.crc32(key))


def swapped(number):
    return int.from_bytes(number.to_bytes(4, "big"), "little")


def crc32_of_php(key):
    h = U32
    for byte in key:
        h ^= byte << 24
        for _ in range(8):
            h = (h << 1 ^ (0x04C11DB7 if h >> 31 else 0)) & U32
    return h ^ U32


def joaat(key):
    h = 0
    for byte in key:
        h = (h + byte) & U32
        h = (h + (h << 10)) & U32
        h ^= h >> 6
    h = (h + (h << 3)) & U32
    h ^= h >> 11
    return swapped((h + (h << 15)) & U32)


HASHES_OF_PHP = {
    "md5": lambda key: int.from_bytes(hashlib.md5(key).digest()[:8], "little"),
    "crc32": crc32_of_php,
    "crc32b": crc32b,
    "joaat": joaat,
}

HASHES = {
    function.__name__: function
    for function in (
        one_at_a_time,
        md5,
        crc16,
        crc32,
        crc32a,
        fnv1_64,
        fnv1a_64,
        fnv1_32,
        fnv1a_32,
        hsieh,
        murmur,
        jenkins,
    )
}
